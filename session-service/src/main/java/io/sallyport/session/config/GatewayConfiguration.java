package io.sallyport.session.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.session.auth.MtlsAuthenticator;
import io.sallyport.session.auth.TicketKeyFile;
import io.sallyport.session.auth.TokenAuthenticator;
import io.sallyport.session.core.CommandLink;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.EpochAuthority;
import io.sallyport.session.core.LinkRules;
import io.sallyport.session.core.TenantFlow;
import io.sallyport.session.kafka.ControlProducer;
import io.sallyport.session.kafka.LogProbe;
import io.sallyport.session.kafka.NodeHeartbeat;
import io.sallyport.session.kafka.RawAppender;
import io.sallyport.session.kafka.RawProducers;
import io.sallyport.session.kafka.RawRecords;
import io.sallyport.session.kafka.RawRetentionWatch;
import io.sallyport.session.metrics.GatewayMetrics;
import io.sallyport.session.netty.AdmissionLimits;
import io.sallyport.session.netty.BoundPorts;
import io.sallyport.session.netty.FlowLimits;
import io.sallyport.session.netty.Gateway;
import io.sallyport.session.netty.GatewayParts;
import io.sallyport.session.netty.ListenerSpec;
import io.sallyport.session.netty.MemoryLimits;
import io.sallyport.session.netty.NodeClock;
import io.sallyport.session.netty.ServerLimits;
import io.sallyport.session.netty.TicketKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the gateway: the raw log below, the listeners above. */
@Configuration(proxyBeanMethods = false)
public class GatewayConfiguration {
    /** Long enough for what a sensor sends in bursts to even out. */
    private static final int VOLUME_LOOK_MS = 60_000;
    /** The brokers have answered the checks before; a node that still cannot look starts, and takes nothing. */
    private static final Duration FIRST_LOOK = Duration.ofSeconds(10);

    /** Comes first: what follows may only start where the node's limits fit the log. */
    @Bean
    StartupCheck startupCheck(SessionProperties properties) throws InterruptedException {
        return StartupCheck.passed(properties);
    }

    @Bean
    RawRetentionWatch rawRetentionWatch(SessionProperties properties, GatewayMetrics metrics, StartupCheck passed)
            throws InterruptedException {
        var watch = new RawRetentionWatch(
                properties.bootstrapServers(),
                properties.node(),
                properties.retention().normalizerGroup(),
                properties.retention().lookInterval(),
                properties.retention().staleAfter(),
                Topics.RAW.partitions(properties.sizing().topics()),
                metrics);
        watch.awaitFirstLook(FIRST_LOOK);
        return watch;
    }

    @Bean
    RawAppender rawAppender(SessionProperties properties, RawRetentionWatch retention, StartupCheck passed) {
        int shards = Topics.RAW.partitions(properties.sizing().topics());
        int maxRequestBytes = (int) properties.append().maxRequestBytes().toBytes();
        long heldBytes = properties.memory().nodeBytes().toBytes()
                + properties.memory().connectionBytes().toBytes();
        var producers = new RawProducers(
                properties.bootstrapServers(),
                properties.node(),
                properties.append().deliveryTimeout(),
                properties.append().requestTimeout(),
                properties.append().linger(),
                maxRequestBytes,
                RawProducers.bufferBytesFor(heldBytes, maxRequestBytes, shards));
        return new RawAppender(producers, ShardMap.initial(shards), retention::pressure);
    }

    @Bean
    LogProbe logProbe(SessionProperties properties, StartupCheck passed) {
        return new LogProbe(
                properties.bootstrapServers(),
                properties.node(),
                properties.sizing().topics().minInsync());
    }

    @Bean
    RawLogHealth rawLog(LogProbe probe, RawAppender appender, ControlData control, RawRetentionWatch retention) {
        return new RawLogHealth(
                () -> probe.trouble().isEmpty() && !retention.isKnown()
                        ? "what waits to be normalized is not known yet"
                        : probe.trouble(),
                appender::isFailing,
                control::isLoaded,
                retention::heldPartitions);
    }

    @Bean
    GatewayMetrics gatewayMetrics(MeterRegistry registry) {
        return new GatewayMetrics(registry);
    }

    @Bean
    BoundPorts boundPorts() {
        return new BoundPorts();
    }

    @Bean
    InfoContributor boundPortsInfo(BoundPorts ports) {
        return builder -> builder.withDetail("listeners", ports.asMap());
    }

    @Bean
    GatewayParts gatewayParts(
            SessionProperties properties,
            RawAppender rawLog,
            EpochAuthority authority,
            ControlData control,
            CommandLink commands,
            GatewayMetrics metrics) {
        metrics.gauge("sallyport.raw.queued", rawLog::queued);
        var rules = new LinkRules(
                properties.limits().toLinkLimits(),
                properties.node(),
                (int) properties.link().handshakeTimeout().toMillis(),
                (int) properties.link().keepalive().toMillis(),
                (int) properties.link().stallTimeout().toMillis());
        return new GatewayParts(rawLog, authority, control, commands, metrics, rules, NodeClock.SYSTEM);
    }

    @Bean
    Gateway gateway(SessionProperties properties, GatewayParts parts, BoundPorts ports) {
        SessionProperties.Admission admission = properties.admission();
        return new Gateway(
                parts,
                new MemoryLimits(
                        properties.memory().nodeBytes().toBytes(),
                        properties.memory().customerBytes().toBytes(),
                        properties.memory().shardBytes().toBytes(),
                        properties.memory().connectionBytes().toBytes(),
                        properties.memory().unfinishedBytes().toBytes()),
                new AdmissionLimits(
                        admission.handshakesPerSecond(),
                        admission.maxAddresses(),
                        new AdmissionLimits.Handshakes(
                                admission.maxHandshakes(),
                                admission.maxHandshakesPerAddress(),
                                admission.maxHandshakesPerName(),
                                admission.maxFullHandshakes(),
                                new AdmissionLimits.Silent(admission.maxSilent(), admission.maxSilentPerAddress())),
                        admission.maxSessions(),
                        new AdmissionLimits.Customer(
                                admission.connectsPerCustomer(), admission.maxSessionsPerCustomer()),
                        (int) admission.credentialRecheck().toMillis()),
                new FlowLimits(
                        new TenantFlow.Rate(
                                properties.flow().bytesPerSecond().toBytes(),
                                properties.flow().eventsPerSecond()),
                        properties.flow().floorBytesPerSecond().toBytes()),
                listeners(properties.listeners()),
                new ServerLimits(
                        properties.listeners().eventLoops(),
                        properties.listeners().tls12(),
                        properties.listeners().backlog(),
                        (int) properties.link().drainDeadline().toMillis(),
                        (int) properties.link().drainJitter().toMillis(),
                        properties.link().drainReconnectsPerSecond(),
                        VOLUME_LOOK_MS,
                        ticketKeys(properties.listeners().ticketKeys())),
                ports);
    }

    @Bean
    GatewayLifecycle gatewayLifecycle(Gateway gateway, ApplicationContext context) {
        return new GatewayLifecycle(gateway, context);
    }

    @Bean
    DrainEndpoint drainEndpoint(Gateway gateway, ApplicationContext context) {
        return new DrainEndpoint(gateway, context);
    }

    @Bean
    HeartbeatLifecycle heartbeatLifecycle(
            SessionProperties properties, ControlProducer producer, ControlData control, Gateway gateway) {
        return new HeartbeatLifecycle(new NodeHeartbeat(
                properties.node(),
                producer,
                gateway::sessions,
                control,
                () -> NodeClock.SYSTEM.now().wallUs()));
    }

    private static @Nullable TicketKeys ticketKeys(String file) {
        return file.isBlank() ? null : new TicketKeyFile(Path.of(file))::current;
    }

    private static List<ListenerSpec> listeners(SessionProperties.Listeners listeners) {
        var specs = new ArrayList<ListenerSpec>();
        SessionProperties.Mtls mtls = listeners.mtls();
        if (mtls.enabled()) {
            Path clientCa = Path.of(mtls.clientCa());
            specs.add(new ListenerSpec(
                    "mtls",
                    mtls.host(),
                    mtls.port(),
                    Path.of(mtls.certificate()),
                    Path.of(mtls.privateKey()),
                    clientCa,
                    new MtlsAuthenticator(clientCa, mtls.crl().isBlank() ? null : Path.of(mtls.crl()))));
        }
        SessionProperties.Token token = listeners.token();
        if (token.enabled()) {
            specs.add(new ListenerSpec(
                    "token",
                    token.host(),
                    token.port(),
                    Path.of(token.certificate()),
                    Path.of(token.privateKey()),
                    null,
                    new TokenAuthenticator(Path.of(token.jwks()), token.issuer(), token.allowFleetTokens())));
        }
        return specs;
    }

    /** A node whose own limits pass the producer's or the topic's would take in what it can never append. */
    static final class StartupCheck {
        private StartupCheck() {}

        static StartupCheck passed(SessionProperties properties) throws InterruptedException {
            long record = RawRecords.maxBytes(properties.limits().toLinkLimits());
            long producer = properties.append().maxRequestBytes().toBytes();
            if (record > producer) {
                throw new IllegalStateException(
                        "limits allow records of " + record + " bytes, append.max-request-bytes only " + producer);
            }
            try (var topics = new io.sallyport.topics.TopicAdmin(
                    properties.bootstrapServers(), properties.sizing().topics())) {
                long topic = topics.maxMessageBytes(Topics.RAW);
                if (record > topic) {
                    throw new IllegalStateException(
                            "limits allow records of " + record + " bytes, the topic raw only " + topic);
                }
                topics.check(List.of(
                        Topics.RAW,
                        Topics.EPOCH_CLAIMS,
                        Topics.EPOCH_ANSWERS,
                        Topics.EPOCH_TABLE,
                        Topics.SESSIONS,
                        Topics.SESSION_PUSH,
                        Topics.COMMAND_RESULTS,
                        Topics.ENDPOINT_METADATA,
                        Topics.CUSTOMERS,
                        Topics.CELLS,
                        Topics.NODE_STATS,
                        Topics.SHARD_MAP));
            }
            return new StartupCheck();
        }
    }
}
