package io.sallyport.session.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.topic.TopicSizing;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

class SessionPropertiesTest {
    private static final String P = "sallyport.session.";

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(SessionProperties.class)
    static class Bound {}

    private final ApplicationContextRunner token = new ApplicationContextRunner()
            .withUserConfiguration(Bound.class)
            .withPropertyValues(
                    P + "listeners.token.enabled=true",
                    P + "listeners.token.certificate=c.pem",
                    P + "listeners.token.private-key=k.pem",
                    P + "listeners.token.jwks=jwks.json");

    @Test
    void shouldHaveTheDefaultsOfTheContract() {
        token.run(context -> {
            SessionProperties properties = context.getBean(SessionProperties.class);
            assertThat(properties.limits().toLinkLimits()).isEqualTo(LinkLimits.DEFAULTS);
            assertThat(properties.sizing().topics()).isEqualTo(TopicSizing.LOCAL);
            assertThat(properties.link().handshakeTimeout()).isEqualTo(Duration.ofSeconds(10));
            assertThat(properties.link().keepalive()).isEqualTo(Duration.ofSeconds(60));
            assertThat(properties.admission().credentialRecheck()).isEqualTo(Duration.ofSeconds(30));
            assertThat(properties.admission().handshakesPerSecond()).isEqualTo(200);
            assertThat(properties.listeners().tls12()).isFalse();
            assertThat(properties.listeners().mtls().enabled()).isFalse();
            assertThat(properties.listeners().mtls().port()).isEqualTo(7_443);
            assertThat(properties.listeners().token().port()).isEqualTo(7_444);
            assertThat(properties.listeners().token().allowFleetTokens()).isFalse();
            assertThat(properties.append().maxRequestBytes().toBytes()).isEqualTo((1 << 20) + (64 << 10));
            assertThat(properties.authorityEnabled()).isTrue();
            assertThat(properties.listeners().ticketKeys()).isEmpty();
            assertThat(properties.admission().connectsPerCustomer()).isEqualTo(500);
            assertThat(properties.memory().customerBytes().toBytes()).isEqualTo(32 << 20);
            assertThat(properties.flow().eventsPerSecond()).isEqualTo(200_000);
            assertThat(properties.flow().floorBytesPerSecond().toBytes()).isEqualTo(256 << 10);
            assertThat(properties.link().drainReconnectsPerSecond()).isEqualTo(1_000);
            assertThat(properties.customers().registry()).isEmpty();
            assertThat(properties.retention().normalizerGroup()).isEqualTo("sallyport-normalizer-");
            assertThat(properties.node()).isZero();
        });
    }

    @Test
    void shouldWantAListener() {
        new ApplicationContextRunner()
                .withUserConfiguration(Bound.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("no listener is enabled"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unknown=1",
                "link.keepalife=60s",
                "listeners.token.allow-fleet-token=true",
                "node=-1",
                "node=8",
                "rack=a b",
                "sizing=huge",
                "limits.max-frame-bytes=100",
                "limits.max-batch-events=70000",
                "link.keepalive=0s",
                "link.handshake-timeout=-1s",
                "listeners.token.port=65536",
                "listeners.token.jwks=",
                "listeners.mtls.enabled=true",
                "listeners.backlog=0",
                "admission.credential-recheck=61s",
                "admission.handshakes-per-second=0",
                "memory.connection-bytes=100KB",
                "memory.node-bytes=1MB",
                "memory.unfinished-bytes=100KB",
                "append.delivery-timeout=1s",
                "append.linger=-1ms",
                "admission.connects-per-customer=0",
                "admission.max-sessions-per-customer=0",
                "admission.max-handshakes-per-address=0",
                "admission.max-handshakes-per-name=0",
                "admission.max-full-handshakes=0",
                "admission.max-silent=0",
                "admission.max-silent-per-address=0",
                "memory.customer-bytes=1MB",
                "memory.shard-bytes=1MB",
                "flow.bytes-per-second=0B",
                "flow.events-per-second=0",
                "flow.floor-bytes-per-second=0B",
                "link.drain-reconnects-per-second=0",
                "customers.registry=ftp://registry",
                "customers.max-customers=50",
                "customers.timeout=0s",
                "retention.normalizer-group=",
                "retention.stale-after=5s"
            })
    void shouldRefuseWhatIsUnknownOrOutOfRange(String property) {
        token.withPropertyValues(P + property)
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void shouldTakeAHigherOrdinalWithALargerSizing() {
        token.withPropertyValues(P + "sizing=cell", P + "node=255")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
