package io.sallyport.fanout.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.envelope.topic.Sizing;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.fanout.core.FanoutLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;

class FanoutPropertiesTest {
    @Test
    void shouldHaveTheDefaultsOfTheDesign() {
        FanoutProperties properties = bind(Map.of("node", "0"));

        assertThat(properties.bootstrapServers()).isEqualTo("127.0.0.1:9092");
        assertThat(properties.stateDir()).isEqualTo(Path.of("data/fanout-service"));
        assertThat(properties.sizing().topics()).isEqualTo(TopicSizing.LOCAL);
        assertThat(properties.deciderThreads()).isEqualTo(1);
        assertThat(properties.auth().audience()).isEqualTo("sallyport-publisher");
        assertThat(properties.limits().toFanoutLimits()).isEqualTo(FanoutLimits.DEFAULTS);
        assertThat(properties.requests().maxWaiting()).isEqualTo(10_000);
    }

    @Test
    void shouldTakeEveryKey() {
        var set = new HashMap<String, String>();
        set.put("bootstrap-servers", "kafka:9092");
        set.put("node", "3");
        set.put("state-dir", "/var/lib/fanout");
        set.put("sizing", "cell");
        set.put("decider-threads", "4");
        set.put("auth.jwks", "/etc/jwks.json");
        set.put("auth.issuer", "idp");
        set.put("auth.audience", "publishers");
        set.put("limits.max-targets", "50");
        set.put("limits.max-frame-bytes", "524288");
        set.put("limits.jitter-per-target", "2ms");
        set.put("limits.max-jitter", "30s");
        set.put("limits.preview-ttl", "1m");
        set.put("requests.append-timeout", "5s");
        set.put("requests.decision-timeout", "9s");
        set.put("requests.max-waiting", "100");
        set.put("requests.max-waiting-per-customer", "50");
        set.put("requests.max-looks-per-customer", "7");
        set.put("requests.max-body", "4MB");
        set.put("rack", "zone-a");
        set.put("requests.catch-up-timeout", "1s");

        assertThat(bind(set))
                .isEqualTo(new FanoutProperties(
                        "kafka:9092",
                        3,
                        Path.of("/var/lib/fanout"),
                        Sizing.CELL,
                        "zone-a",
                        4,
                        new FanoutProperties.Auth(Path.of("/etc/jwks.json"), "idp", "publishers"),
                        new FanoutProperties.Limits(
                                50, 524_288, Duration.ofMillis(2), Duration.ofSeconds(30), Duration.ofMinutes(1)),
                        new FanoutProperties.Requests(
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(9),
                                100,
                                50,
                                7,
                                DataSize.ofMegabytes(4),
                                Duration.ofSeconds(1))));
    }

    @ParameterizedTest
    @CsvSource({
        "bootstrap-servers,' '",
        "rack,a b",
        "node,-1",
        "node,1024",
        "sizing,huge",
        "decider-threads,0",
        "decider-threads,65",
        "auth.issuer,' '",
        "auth.audience,' '",
        "auth.audience,sallyport-sensor",
        "limits.max-targets,0",
        "limits.max-frame-bytes,65536",
        "limits.max-frame-bytes,1048577",
        "limits.jitter-per-target,-1ms",
        "limits.max-jitter,61s",
        "limits.max-jitter,-1s",
        "limits.preview-ttl,0s",
        "requests.append-timeout,999ms",
        "requests.decision-timeout,10s",
        "requests.max-waiting,0",
        "requests.max-waiting-per-customer,0",
        "requests.max-looks-per-customer,0",
        "requests.max-body,1MB",
        "requests.catch-up-timeout,0s",
        "requests.unknown,1",
        "unknown,1"
    })
    void shouldRefuse(String key, String value) {
        assertThatThrownBy(() -> bind(Map.of(key, value))).isInstanceOf(RuntimeException.class);
    }

    private static FanoutProperties bind(Map<String, String> values) {
        var context = new ApplicationContextRunner().withUserConfiguration(Wiring.class);
        for (Map.Entry<String, String> value : values.entrySet()) {
            context = context.withPropertyValues("sallyport.fanout." + value.getKey() + "=" + value.getValue());
        }
        var bound = new AtomicReference<FanoutProperties>();
        context.run(started -> bound.set(started.getBean(FanoutProperties.class)));
        return bound.get();
    }

    @EnableConfigurationProperties(FanoutProperties.class)
    static class Wiring {}
}
