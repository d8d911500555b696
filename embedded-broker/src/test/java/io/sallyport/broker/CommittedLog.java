package io.sallyport.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What stands committed in a topic, from its beginning to its end at each call. The end is that of a reader of
 * everything: the markers of a transaction reach one partition sooner than another, so that a reader of committed
 * records that asks for the end right after a commit may be told one before it.
 */
public final class CommittedLog implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    /** For as long a transaction is waited for that was open at the call; that of a dead writer may take longer. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final KafkaConsumer<byte[], byte[]> committed;
    private final KafkaConsumer<byte[], byte[]> written;
    private final List<TopicPartition> partitions;

    /** Of all partitions of the topic. */
    public CommittedLog(String bootstrapServers, String topic) {
        this(bootstrapServers, topic, -1);
    }

    private CommittedLog(String bootstrapServers, String topic, int number) {
        committed = consumer(bootstrapServers, "read_committed");
        written = consumer(bootstrapServers, "read_uncommitted");
        partitions = committed.partitionsFor(topic).stream()
                .filter(info -> number < 0 || info.partition() == number)
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        committed.assign(partitions);
        committed.seekToBeginning(partitions);
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrapServers, String isolation) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "isolation.level",
                        isolation,
                        "auto.offset.reset",
                        "earliest",
                        "max.poll.records",
                        5_000,
                        // What is asked next, a close too, waits for the fetch that is under way.
                        "fetch.max.wait.ms",
                        20),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** A topic from its beginning to its end. */
    public static List<ConsumerRecord<byte[], byte[]>> read(String bootstrapServers, String topic) {
        try (var log = new CommittedLog(bootstrapServers, topic)) {
            return log.readOn();
        }
    }

    /** One partition from its beginning to its end. */
    public static List<ConsumerRecord<byte[], byte[]>> read(String bootstrapServers, String topic, int partition) {
        try (var log = new CommittedLog(bootstrapServers, topic, partition)) {
            return log.readOn();
        }
    }

    /** What was committed since the last call, in the order of each partition. */
    public List<ConsumerRecord<byte[], byte[]>> readOn() {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        Map<TopicPartition, Long> ends = written.endOffsets(partitions);
        long start = System.nanoTime();
        while (!isAt(ends)) {
            if (System.nanoTime() - start > PATIENCE.toNanos() && isAt(committed.endOffsets(partitions))) {
                break;
            }
            committed.poll(POLL).forEach(records::add);
        }
        return records;
    }

    private boolean isAt(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> committed.position(end.getKey()) >= end.getValue());
    }

    @Override
    public void close() {
        committed.close();
        written.close();
    }
}
