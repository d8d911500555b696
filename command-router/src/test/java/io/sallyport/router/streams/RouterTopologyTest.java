package io.sallyport.router.streams;

import static io.sallyport.router.core.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.router.core.Bodies;
import io.sallyport.router.core.Control;
import io.sallyport.router.core.Entries;
import io.sallyport.router.core.Session;
import io.sallyport.router.metrics.RouterMeters;
import io.sallyport.tracing.CommandTraces;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the topology does around the rules. The driver has one partition, so sensors of partition 0 are used. */
class RouterTopologyTest {
    private static final String SENSOR = sensorOfPartitionZero("s-");
    private static final long SESSION = SessionId.of(Entries.START_US / 1_000 - 1, 5, 0);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Map<MessageKey, ByteString> bodies = new HashMap<>();

    @TempDir
    Path dir;

    private TopologyTestDriver driver;

    @BeforeEach
    void start() {
        var p = new Properties();
        p.put(StreamsConfig.APPLICATION_ID_CONFIG, "router-test");
        p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        p.put(StreamsConfig.STATE_DIR_CONFIG, dir.toString());
        p.put(StreamsConfig.METRICS_RECORDING_LEVEL_CONFIG, "DEBUG");
        var parts = new RouterTopology.Parts(
                Entries.LIMITS, new MapBodies(), new SeededControl(), new RouterMeters(registry), CommandTraces.NONE);
        driver = new TopologyTestDriver(
                RouterTopology.build(TopicSizing.LOCAL, parts), p, Instant.ofEpochMilli(Entries.START_US / 1_000));
    }

    @AfterEach
    void stop() {
        driver.close();
    }

    @Test
    void shouldPushToTheNodeOfTheSessionAndTellWhatBecameOfIt() {
        send(Topics.SESSIONS, SENSOR, Entries.connected(SESSION));
        enter(entry("m-1", 1, MessageType.RESPONSE_ACTION), SENSOR);

        var push = read(Topics.SESSION_PUSH).get(0);
        assertThat(push.getSessionId()).isEqualTo(SESSION);
        assertThat(push.getMessage().getPayload().toStringUtf8()).isEqualTo("body of acme/m-1");
        assertThat(push.getRevision()).isEqualTo(1);
        assertThat(push.getPrincipal()).isEqualTo(Entries.OPERATOR);

        send(
                Topics.COMMAND_RESULTS,
                SENSOR,
                Entries.acked("m-1").toBuilder().setSensorId(id(SENSOR)).build());
        driver.advanceWallClockTime(Duration.ofMillis(100));

        assertThat(read(Topics.TARGET_STATUS).stream().map(status -> status.getState()))
                .containsExactly(TargetState.IN_FLIGHT, TargetState.ACKED);
        var counts = read(Topics.MESSAGE_STATUS);
        assertThat(counts.get(counts.size() - 1).getAcked()).isEqualTo(1);
        assertThat(counts.get(counts.size() - 1).getInFlight()).isZero();
    }

    @Test
    void shouldWaitForAMissingBody() {
        send(Topics.SESSIONS, SENSOR, Entries.connected(SESSION));
        send(Topics.SENSOR_QUEUE, SENSOR, message("m-1").setSensorId(id(SENSOR)).build());
        driver.advanceWallClockTime(Duration.ofMillis(100));
        assertThat(read(Topics.SESSION_PUSH)).isEmpty();

        bodies.put(new MessageKey("acme", "m-1"), ByteString.copyFromUtf8("late"));
        driver.advanceWallClockTime(Duration.ofMillis(100));

        assertThat(read(Topics.SESSION_PUSH)).hasSize(1);
    }

    @Test
    void shouldRepeatOnTheClockAlone() {
        send(Topics.SESSIONS, SENSOR, Entries.connected(SESSION));
        enter(entry("m-1", 1, MessageType.RESPONSE_ACTION), SENSOR);
        driver.advanceWallClockTime(Duration.ofSeconds(29));
        assertThat(read(Topics.SESSION_PUSH)).hasSize(1);

        driver.advanceWallClockTime(Duration.ofSeconds(2));

        assertThat(read(Topics.SESSION_PUSH)).hasSize(1);
    }

    /** Each call of the clock makes a transaction, and whatever comes meanwhile waits for its end. */
    @Test
    void shouldNotBeCalledByTheClockWhileNothingIsToBeDone() {
        send(Topics.SESSIONS, SENSOR, Entries.connected(SESSION));
        enter(entry("m-1", 1, MessageType.RESPONSE_ACTION), SENSOR);
        send(
                Topics.COMMAND_RESULTS,
                SENSOR,
                Entries.acked("m-1").toBuilder().setSensorId(id(SENSOR)).build());
        driver.advanceWallClockTime(Duration.ofMillis(100));
        double calls = callsOfTheClock();
        assertThat(calls).isPositive();

        for (int i = 0; i < 10; i++) {
            driver.advanceWallClockTime(Duration.ofSeconds(1));
        }

        assertThat(callsOfTheClock()).isEqualTo(calls);
    }

    private double callsOfTheClock() {
        return driver.metrics().values().stream()
                .filter(metric -> metric.metricName().group().equals("stream-task-metrics")
                        && metric.metricName().name().equals("punctuate-total"))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    @Test
    void shouldReachNobodyWithAPatternForAnId() {
        send(Topics.SESSIONS, SENSOR, Entries.connected(SESSION));
        for (String id : List.of("s-*", "*", "#", "+", "s\0x")) {
            enter(entry("m-" + id.length(), 1, MessageType.RESPONSE_ACTION).setSensorId(id), "acme/" + id);
        }

        assertThat(read(Topics.SESSION_PUSH)).isEmpty();
        assertThat(read(Topics.TARGET_STATUS)).isEmpty();
        assertThat(registry.counter("sallyport.command.inputs.skipped", "reason", "key")
                        .count())
                .isEqualTo(5);
    }

    @Test
    void shouldRefuseAndAlertAForgedCustomer() {
        send(Topics.SESSIONS, SENSOR, Entries.connected(SESSION));
        enter(entry("m-1", 1, MessageType.RESPONSE_ACTION).setCustomerId("globex"), SENSOR);

        assertThat(read(Topics.SESSION_PUSH)).isEmpty();
        assertThat(read(Topics.TARGET_STATUS)).isEmpty();
        assertThat(registry.counter("sallyport.alerts", "kind", "FORGED_IDENTITY")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void shouldRefuseARecordOutsideItsPartition() {
        String elsewhere = sensorElsewhere();
        enter(entry("m-1", 1, MessageType.RESPONSE_ACTION), elsewhere);

        assertThat(read(Topics.TARGET_STATUS)).isEmpty();
        assertThat(registry.counter("sallyport.command.inputs.skipped", "reason", "partition")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void shouldGoOnAfterARecordThatCannotBeRead() {
        pipe(Topics.SENSOR_QUEUE, SENSOR, new byte[] {(byte) 0xFF, 1, 2});
        pipe(Topics.SENSOR_QUEUE, SENSOR, null);
        enter(entry("m-1", 1, MessageType.RESPONSE_ACTION), SENSOR);

        assertThat(read(Topics.COVERAGE)).hasSize(1).allMatch(marker -> marker.getReason() == Reason.UNDECODABLE);
        assertThat(read(Topics.TARGET_STATUS)).hasSize(1);
    }

    @Test
    void shouldWriteAMarkerForWhatIsEvicted() {
        for (int i = 1; i <= 257; i++) {
            enter(Entries.update("m-" + i, i, "v" + i), SENSOR);
        }

        assertThat(read(Topics.COVERAGE))
                .singleElement()
                .satisfies(marker -> assertThat(marker.getReason()).isEqualTo(Reason.QUEUE_EVICTED))
                .satisfies(marker -> assertThat(marker.getDetail()).isEqualTo("msg_id=m-1 reason=CAP"));
        assertThat(registry.get("sallyport.command.queue.depth").gauge().value())
                .isEqualTo(256);
    }

    @Test
    void shouldForgetMessageAndTargetWhenNobodyAsksForThemAnyMore() {
        send(Topics.SESSIONS, SENSOR, Entries.connected(SESSION));
        enter(entry("m-1", 1, MessageType.RESPONSE_ACTION), SENSOR);
        send(
                Topics.COMMAND_RESULTS,
                SENSOR,
                Entries.acked("m-1").toBuilder().setSensorId(id(SENSOR)).build());
        driver.advanceWallClockTime(Duration.ofSeconds(1));
        keys(Topics.TARGET_STATUS);
        keys(Topics.MESSAGE_STATUS);

        driver.advanceWallClockTime(Duration.ofDays(9));

        assertThat(tombstones(Topics.TARGET_STATUS)).containsExactly("acme/m-1/" + id(SENSOR));
        assertThat(tombstones(Topics.MESSAGE_STATUS)).containsExactly("acme/m-1/0");
    }

    private QueueEntry.Builder message(String msgId) {
        return entry(msgId, 1, MessageType.RESPONSE_ACTION);
    }

    private void enter(QueueEntry.Builder entry, String key) {
        if (SensorKey.fromTopicKey(key).isPresent()) {
            entry.setSensorId(id(key));
            bodies.put(
                    new MessageKey("acme", entry.getMsgId()),
                    ByteString.copyFromUtf8("body of acme/" + entry.getMsgId()));
        }
        send(Topics.SENSOR_QUEUE, key, entry.build());
    }

    private void send(TopicSpec<?> topic, String key, MessageLite value) {
        pipe(topic, key, value.toByteArray());
    }

    private void pipe(TopicSpec<?> topic, String key, byte[] value) {
        driver.createInputTopic(topic.name(), new ByteArraySerializer(), new ByteArraySerializer())
                .pipeInput(key.getBytes(StandardCharsets.UTF_8), value);
    }

    private <V extends MessageLite> List<V> read(TopicSpec<V> topic) {
        Parser<V> parser = topic.value().orElseThrow();
        return records(topic).stream()
                .filter(record -> record.value() != null)
                .map(record -> {
                    try {
                        return parser.parseFrom(record.value());
                    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .toList();
    }

    private List<String> tombstones(TopicSpec<?> topic) {
        return records(topic).stream()
                .filter(record -> record.value() == null)
                .map(record -> new String(record.key(), StandardCharsets.UTF_8))
                .toList();
    }

    private void keys(TopicSpec<?> topic) {
        assertThat(records(topic)).isNotEmpty();
    }

    private List<TestRecord<byte[], byte[]>> records(TopicSpec<?> topic) {
        return driver.createOutputTopic(topic.name(), new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList();
    }

    private static String id(String key) {
        return key.substring(key.indexOf('/') + 1);
    }

    private static String sensorOfPartitionZero(String prefix) {
        return sensor(prefix, true);
    }

    private static String sensorElsewhere() {
        return sensor("e-", false);
    }

    private static String sensor(String prefix, boolean zero) {
        for (int i = 0; ; i++) {
            var sensor = new SensorKey("acme", prefix + i);
            int partition = io.sallyport.envelope.routing.Slots.partition(
                    sensor, Topics.SENSOR_QUEUE.partitions(TopicSizing.LOCAL));
            if ((partition == 0) == zero) {
                return sensor.topicKey();
            }
        }
    }

    private final class MapBodies implements Bodies {
        @Override
        public boolean has(MessageKey message) {
            return bodies.containsKey(message);
        }

        @Override
        public boolean await(MessageKey message, long timeoutMs) {
            return has(message);
        }

        @Override
        public Optional<ByteString> payload(MessageKey message) {
            return Optional.ofNullable(bodies.get(message));
        }
    }

    private static final class SeededControl implements Control {
        @Override
        public boolean isLoaded() {
            return true;
        }

        @Override
        public Optional<MessageTypeSpec> type(int number) {
            return MessageTypes.seeded().stream()
                    .filter(type -> type.getNumber() == number)
                    .findFirst();
        }

        @Override
        public boolean isNodeAlive(Session session) {
            return true;
        }
    }
}
