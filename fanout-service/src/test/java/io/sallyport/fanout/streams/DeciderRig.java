package io.sallyport.fanout.streams;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.Decider;
import io.sallyport.fanout.core.FanoutLimits;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.SeededRegistry;
import io.sallyport.fanout.core.TargetResolver;
import io.sallyport.fanout.selector.AntlrSelectorParser;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.CancelMessage;
import io.sallyport.proto.log.v1.CloudMessage;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import io.sallyport.proto.log.v1.Target;
import io.sallyport.tracing.CommandTraces;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.internals.ProcessorRecordContext;
import org.apache.kafka.streams.test.TestRecord;

/** The decider's topology over a fleet of two customers, without a broker, with a clock that the test moves. */
final class DeciderRig implements AutoCloseable {
    static final Instant START = Instant.parse("2026-11-30T10:00:00Z");
    static final int FLEET = 12_500;

    final MetadataIndex index = new MetadataIndex();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Map<String, List<String>> segments = new HashMap<>();
    final Map<String, List<QueueEntry>> entries = new HashMap<>();
    final TopologyTestDriver driver;
    final TestInputTopic<String, byte[]> ingress;
    /** Of every look that is asked for. */
    CompletableFuture<Boolean> upToDate = CompletableFuture.completedFuture(true);

    private int requests;

    DeciderRig(Path stateDir) {
        for (int i = 0; i < FLEET; i++) {
            for (String customer : List.of("acme", "globex")) {
                if (customer.equals("acme") || i < 100) {
                    index.describe(
                            new SensorKey(customer, "s-" + i),
                            EndpointMetadata.newBuilder()
                                    .setVersion(1)
                                    .setHost(HostMetadata.newBuilder().setOsFamily("linux"))
                                    .build());
                }
            }
        }
        var resolver = new TargetResolver(
                new AntlrSelectorParser(), index, (customer, name) -> Optional.ofNullable(segments.get(name)));
        var decider = new Decider(FanoutLimits.DEFAULTS, new SeededRegistry(), resolver);
        var config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "decider-test");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        config.put(StreamsConfig.STATE_DIR_CONFIG, stateDir.toString());
        driver = new TopologyTestDriver(
                DeciderTopology.build(() -> new DeciderProcessor(
                        decider, () -> upToDate, 1, new DeciderMeters(meters, new Alerts(meters), CommandTraces.NONE))),
                config,
                START);
        ingress = driver.createInputTopic(
                Topics.INGRESS.name(), new StringSerializer(), new ByteArraySerializer(), START, Duration.ZERO);
    }

    @Override
    public void close() {
        driver.close();
    }

    /** As if the state were of a log that was longer than this one. */
    void handled(long offset, long appendMs) {
        new Handled(driver.getKeyValueStore(DeciderTopology.DECISIONS))
                .next(
                        new ProcessorRecordContext(appendMs, offset, 0, Topics.INGRESS.name(), new RecordHeaders()),
                        appendMs);
    }

    List<String> answers(String customer) throws Exception {
        var answers = new ArrayList<String>();
        for (var record : records(Topics.MESSAGE_DECISIONS)) {
            if (record.key().startsWith(customer + "/") && record.value() != null) {
                var decision = MessageDecision.parseFrom(record.value());
                answers.add(decision.getMsgId() + " " + decision.getAnswer().getCode());
            }
        }
        return answers;
    }

    void toSegment(String customer, String msgId) {
        pipe(
                customer,
                IngressRecord.newBuilder()
                        .setPublish(CloudMessage.newBuilder()
                                .setCustomerId(customer)
                                .setMsgId(msgId)
                                .setType(MessageType.CONFIG_UPDATE_VALUE)
                                .setTarget(Target.newBuilder().setSegment("pilots"))));
    }

    void pass() {
        for (int i = 0; i < 200; i++) {
            driver.advanceWallClockTime(Duration.ofMillis(5));
        }
        read();
    }

    void read() {
        for (TestRecord<String, byte[]> record : records(Topics.SENSOR_QUEUE)) {
            try {
                entries.computeIfAbsent(record.key(), key -> new ArrayList<>())
                        .add(QueueEntry.parseFrom(record.value()));
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
        }
    }

    List<TestRecord<String, byte[]>> records(TopicSpec<?> topic) {
        return driver.createOutputTopic(topic.name(), new StringDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList();
    }

    /** The first sensors of the customer. */
    void connect(String customer, int sensors) {
        for (int i = 0; i < sensors; i++) {
            index.session(
                    new SensorKey(customer, "s-" + i),
                    SessionEntry.newBuilder()
                            .setSessionId(1)
                            .setState(SessionState.SESSION_CONNECTED)
                            .build());
        }
    }

    long of(String customer, String msgId) {
        return entries.values().stream()
                .flatMap(List::stream)
                .filter(entry -> entry.getCustomerId().equals(customer)
                        && entry.getMsgId().equals(msgId))
                .count();
    }

    List<String> msgIds(String customer, String sensor) {
        return entries.getOrDefault(customer + "/" + sensor, List.of()).stream()
                .map(QueueEntry::getMsgId)
                .toList();
    }

    /** To the sensor s-0, to so many of the fleet, or to one that is unknown where there are not so many. */
    void publish(String customer, String msgId, MessageType type, int sensors) {
        var target = Target.newBuilder();
        if (sensors == 1 || sensors > FLEET) {
            target.setSensorId(sensors == 1 ? "s-0" : "unknown");
        } else if (sensors == FLEET) {
            target.setFleet(true);
        } else {
            for (int i = 0; i < FLEET && (customer.equals("acme") || i < 100); i++) {
                index.describe(
                        new SensorKey(customer, "s-" + i),
                        EndpointMetadata.newBuilder()
                                .setVersion(2 + requests)
                                .setHost(HostMetadata.newBuilder().setOsFamily(i < sensors ? "chosen" : "linux"))
                                .build());
            }
            target.setSelector("os.family = chosen");
        }
        pipe(
                customer,
                IngressRecord.newBuilder()
                        .setPublish(CloudMessage.newBuilder()
                                .setCustomerId(customer)
                                .setMsgId(msgId)
                                .setType(type.getNumber())
                                .setMaxTargets(FLEET)
                                .setTarget(target)));
    }

    void cancel(String customer, String msgId) {
        pipe(
                customer,
                IngressRecord.newBuilder()
                        .setCancel(CancelMessage.newBuilder()
                                .setCustomerId(customer)
                                .setMsgId(msgId)));
    }

    void pipe(String customer, IngressRecord.Builder request) {
        ingress.pipeInput(
                customer,
                request.setRequestId("r-" + ++requests)
                        .setPrincipal(Principal.newBuilder()
                                .setSubject("operator")
                                .addCustomers(customer)
                                .addScopes(MessageTypes.SCOPE_PUBLISH)
                                .addScopes(MessageTypes.SCOPE_RESPOND))
                        .build()
                        .toByteArray());
    }
}
