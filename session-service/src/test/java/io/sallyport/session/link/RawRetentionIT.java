package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.KraftBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.core.SensorRoute;
import io.sallyport.session.kafka.RawAppender;
import io.sallyport.session.kafka.RawProducers;
import io.sallyport.session.kafka.RawRetentionWatch;
import io.sallyport.session.metrics.GatewayMetrics;
import io.sallyport.topics.TopicAdmin;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A raw log whose normalizer is dead, on a broker of its own since its retention is changed. */
class RawRetentionIT {
    private static final String GROUP = "dead-normalizer";
    private static final int SHARDS = TopicSizing.LOCAL.shardsMax();

    @TempDir
    private Path dir;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private KraftBroker broker;
    private Admin admin;
    private RawRetentionWatch watch;
    private RawAppender appender;
    private TestGateway gateway;

    @BeforeEach
    void start() throws Exception {
        broker = KraftBroker.start(dir, 0);
        try (var topics = new TopicAdmin(broker.bootstrapServers(), TopicSizing.LOCAL)) {
            topics.create();
        }
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
        watch = new RawRetentionWatch(
                broker.bootstrapServers(),
                0,
                GROUP,
                Duration.ofMillis(100),
                Duration.ofSeconds(3),
                SHARDS,
                new GatewayMetrics(meters));
        appender = new RawAppender(
                new RawProducers(
                        broker.bootstrapServers(),
                        0,
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(5),
                        Duration.ofMillis(2),
                        1 << 20,
                        64 << 20),
                ShardMap.initial(SHARDS),
                watch::pressure);
        var settings = TestGateway.with();
        settings.log = appender;
        gateway = settings.start();
        Awaitility.await().until(watch::isKnown);
    }

    @AfterEach
    void stop() {
        gateway.close();
        appender.close();
        watch.close();
        admin.close();
        broker.close();
    }

    private void configure(String name, String value) throws Exception {
        admin.incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, "raw"),
                        List.of(new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }

    private static TopicPartition partitionOf(String sensor) {
        return new TopicPartition(
                "raw",
                ShardMap.initial(SHARDS)
                        .at(0)
                        .shardOf(SensorRoute.of(new SensorKey("acme", sensor)).slot()));
    }

    private void catchUp(TopicPartition partition) throws Exception {
        long end = admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                .all()
                .get()
                .get(partition)
                .offset();
        admin.alterConsumerGroupOffsets(GROUP, Map.of(partition, new OffsetAndMetadata(end)))
                .all()
                .get();
    }

    private double used(TopicPartition partition) {
        return meters.get("sallyport.raw.retention.used")
                .tag("partition", Integer.toString(partition.partition()))
                .gauge()
                .value();
    }

    private static void sendAndReadAck(SensorSocket sensor, int batchId, long from, long to) throws IOException {
        sensor.send(FrameType.BATCH, Wire.batch(1, batchId, from, to, 1_000));
        sensor.readAckUpTo(to);
    }

    @Test
    void shouldHoldTheShardThatIsLateAndNoOther() throws Exception {
        TopicPartition late = partitionOf("late");
        String other = "other";
        for (int i = 0; partitionOf(other).equals(late); i++) {
            other = "other-" + i;
        }
        configure("retention.ms", "600000");
        try (SensorSocket sensor = gateway.session("late");
                SensorSocket neighbour = gateway.session(other)) {
            sendAndReadAck(sensor, 1, 1, 10);
            sendAndReadAck(neighbour, 1, 1, 10);
            catchUp(partitionOf(other));
            assertThat(watch.heldPartitions()).isEmpty();
            // What waits is now older than the whole retention would be, for the one shard of which anything waits.
            configure("retention.ms", "1000");
            Awaitility.await().until(() -> watch.heldPartitions().equals(List.of(late.partition())));

            sensor.send(FrameType.BATCH, Wire.batch(1, 2, 11, 20, 1));
            var refused = sensor.readReject();
            assertThat(refused.getCode()).isEqualTo(RejectCode.LOG_UNAVAILABLE);
            assertThat(refused.getBatchId()).isEqualTo(2);
            assertThat(sensor.readAck().watermark()).isEqualTo(10);
            assertThat(meters.get("sallyport.alerts")
                            .tag("kind", "RAW_LAG")
                            .counter()
                            .count())
                    .isEqualTo(1);
            catchUp(partitionOf(other));
            sendAndReadAck(neighbour, 2, 11, 20);
            catchUp(partitionOf(other));

            catchUp(late);
            Awaitility.await().until(() -> sensor.readAck().throttleMs() == 0);
            configure("retention.ms", "600000");
            Awaitility.await().until(() -> watch.heldPartitions().isEmpty());
            sendAndReadAck(sensor, 3, 11, 20);
        }
    }

    @Test
    void shouldAlsoLookAtBytes() throws Exception {
        TopicPartition late = partitionOf("large");
        try (SensorSocket sensor = gateway.session("large")) {
            configure("retention.ms", "-1");
            for (int i = 0; i < 10; i++) {
                sendAndReadAck(sensor, i, 1 + i * 10L, 10 + i * 10L);
            }
            assertThat(used(late)).isZero();
            // Segments are far larger, so that the broker throws nothing away meanwhile.
            configure("retention.bytes", "150000");
            Awaitility.await().until(() -> used(late) > 0.5 && used(late) < 0.8);
            assertThat(watch.pressure(late.partition()).throttleMs()).isPositive();
            configure("retention.bytes", "110000");
            Awaitility.await().until(() -> watch.heldPartitions().equals(List.of(late.partition())));
            catchUp(late);
            Awaitility.await().until(() -> watch.heldPartitions().isEmpty());
        }
    }

    @Test
    void shouldNotRelyOnAViewThatItCannotRenew() {
        broker.close();
        Awaitility.await().until(() -> watch.pressure(0).throttleMs() > 0);
        assertThat(watch.heldPartitions()).isEmpty();
        assertThat(meters.get("sallyport.alerts")
                        .tag("kind", "RAW_LAG_UNKNOWN")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(meters.find("sallyport.alerts").tag("kind", "RAW_LAG").counters())
                .as("nobody measured that")
                .allMatch(counter -> counter.count() == 0);
    }
}
