package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.e2e.link.proto.RawStamp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The topic {@code raw}, as a plain Kafka client sees it. */
final class RawTopic {

    /**
     * @param kind the header {@code kind}: BATCH, SKIP, EPOCH_OPEN
     * @param value the body as it was received
     */
    record Entry(String kind, byte[] value, RawStamp stamp) {}

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;
    private final Map<Sensor, List<Entry>> entries = new HashMap<>();

    RawTopic(String bootstrapServers) {
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false,
                        // Each look at the log ends where the log ends: nothing is gained by waiting there.
                        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                        10),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        partitions = consumer.partitionsFor("raw").stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Everything of a sensor that the log holds now, in its order. */
    synchronized List<Entry> of(Sensor sensor) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
            consumer.poll(Duration.ofMillis(200)).forEach(this::add);
        }
        return List.copyOf(entries.getOrDefault(sensor, List.of()));
    }

    /** The BATCH and SKIP records of a sensor. */
    List<Entry> telemetryOf(Sensor sensor) {
        return of(sensor).stream()
                .filter(entry -> !entry.kind().equals("EPOCH_OPEN"))
                .toList();
    }

    /** The log holds exactly the bodies that this session had to append, byte for byte, in the order they were sent. */
    void assertHolds(Session session) {
        assertHolds(session.sensor(), session.appended());
    }

    void assertHolds(Sensor sensor, List<byte[]> bodies) {
        // What is expected may not have its ACK yet; what is not expected would stand in between.
        await().atMost(Duration.ofSeconds(SensorClient.PATIENCE_S))
                .until(() -> telemetryOf(sensor).size() >= bodies.size());
        List<Entry> found = telemetryOf(sensor);
        assertThat(found).as("records of %s", sensor).hasSameSizeAs(bodies);
        for (int i = 0; i < bodies.size(); i++) {
            Entry entry = found.get(i);
            assertThat(entry.kind()).isEqualTo(bodies.get(i).length == 22 ? "SKIP" : "BATCH");
            if (!Arrays.equals(entry.value(), bodies.get(i))) {
                throw new AssertionError(
                        "record " + i + " of " + sensor + " is " + hex(entry.value()) + ", not " + hex(bodies.get(i)));
            }
        }
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        Header kind = record.headers().lastHeader("kind");
        Header stamp = record.headers().lastHeader("stamp");
        try {
            var parsed = RawStamp.parseFrom(stamp.value());
            entries.computeIfAbsent(
                            new Sensor(parsed.getCustomerId(), parsed.getSensorId()), sensor -> new ArrayList<>())
                    .add(new Entry(new String(kind.value(), StandardCharsets.US_ASCII), record.value(), parsed));
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("a stamp that does not parse", e);
        }
    }

    private static String hex(byte[] bytes) {
        int shown = Math.min(bytes.length, 64);
        return HexFormat.of().formatHex(bytes, 0, shown) + " (" + bytes.length + " bytes)";
    }
}
