package io.sallyport.export.verify.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Committed records of one partition, from its beginning to the end that it had when this was made. */
final class PartitionRecords implements Iterator<ConsumerRecord<byte[], byte[]>>, AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final TopicPartition partition;
    private final long end;
    private final ArrayDeque<ConsumerRecord<byte[], byte[]>> read = new ArrayDeque<>();

    PartitionRecords(String bootstrapServers, TopicPartition partition) {
        this.partition = partition;
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "sallyport-verify",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        end = settledEnd(bootstrapServers);
    }

    /**
     * The committed end, once every transaction that was open at the call is decided: its markers reach one partition
     * sooner than another, and what stands in the one must not be missed in the other. A transaction of a dead writer is
     * not waited for longer than its timeout.
     */
    private long settledEnd(String bootstrapServers) {
        long written;
        try (var uncommitted = new KafkaConsumer<>(
                Map.<String, Object>of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "sallyport-verify-end"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            written = uncommitted.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
        }
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        long committed = committedEnd();
        while (committed < written && System.nanoTime() - deadlineNanos < 0) {
            // Reading on meanwhile: the end moves by itself.
            consumer.poll(POLL).forEach(read::add);
            committed = committedEnd();
        }
        return Math.min(committed, Math.max(written, consumer.position(partition)));
    }

    private long committedEnd() {
        return consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    }

    @Override
    public boolean hasNext() {
        while (read.isEmpty() && consumer.position(partition) < end) {
            consumer.poll(POLL).forEach(read::add);
        }
        return !read.isEmpty();
    }

    @Override
    public ConsumerRecord<byte[], byte[]> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return read.remove();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
