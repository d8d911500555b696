package io.sallyport.local.records;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic with {@code read_committed}, in the order of each partition, with memory bounded by one fetch. */
public final class TopicReader implements AutoCloseable {
    /** Where a reader's lines go; a failure of it ends the reading. */
    public interface Sink {
        void line(String line) throws IOException;

        /** Everything that was there for now has been given out. */
        void pause() throws IOException;
    }

    /**
     * What to read.
     *
     * @param max stops after this many lines; {@link Long#MAX_VALUE} for all
     * @param idle stops when no line came for this long and the backlog is read; empty follows for ever
     */
    public record Request(String topic, RecordFilter filter, StartPosition from, long max, Optional<Duration> idle) {}

    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;

    public TopicReader(String bootstrapServers) {
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "sallyport-read",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false,
                        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                        false,
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        2_000,
                        ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                        16 << 20,
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                        4 << 20,
                        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                        15_000),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** The topics of the broker that are not Kafka's own, by name. */
    public Collection<String> topics() {
        return consumer.listTopics().keySet().stream()
                .filter(name -> !name.startsWith("__"))
                .sorted()
                .toList();
    }

    /**
     * Reads until the request's end, or until the calling thread is interrupted.
     *
     * @return lines given to the sink
     */
    public long read(Request request, Sink sink) throws IOException {
        List<TopicPartition> partitions = consumer.partitionsFor(request.topic()).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        var backlog = new Backlog(consumer.endOffsets(partitions));
        seek(partitions, request.from());
        long lines = 0;
        long lastNews = System.nanoTime();
        try (var printer = new RecordLines(request.filter())) {
            while (lines < request.max() && !Thread.currentThread().isInterrupted()) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                long before = lines;
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    Optional<String> line = printer.line(record);
                    if (line.isPresent()) {
                        sink.line(line.get());
                        if (++lines >= request.max()) {
                            break;
                        }
                    }
                }
                // Records that the filter leaves out are news only while the reader works off what was there before it.
                if (lines > before || (!records.isEmpty() && !backlog.isRead(consumer))) {
                    lastNews = System.nanoTime();
                } else if (idleFor(lastNews, request.idle())) {
                    break;
                }
                sink.pause();
            }
        }
        sink.pause();
        return lines;
    }

    private static boolean idleFor(long sinceNanos, Optional<Duration> limit) {
        return limit.isPresent()
                && System.nanoTime() - sinceNanos >= limit.get().toNanos();
    }

    private void seek(List<TopicPartition> partitions, StartPosition from) {
        if (from instanceof StartPosition.Beginning) {
            consumer.seekToBeginning(partitions);
        } else if (from instanceof StartPosition.Now) {
            consumer.seekToEnd(partitions);
            // Asked for at once: otherwise the end is looked up with the first poll, and what comes until then is
            // missed.
            partitions.forEach(consumer::position);
        } else if (from instanceof StartPosition.At at) {
            var times = new HashMap<TopicPartition, Long>();
            partitions.forEach(partition -> times.put(partition, at.time().toEpochMilli()));
            Map<TopicPartition, OffsetAndTimestamp> offsets = consumer.offsetsForTimes(times);
            for (TopicPartition partition : partitions) {
                OffsetAndTimestamp offset = offsets.get(partition);
                if (offset == null) {
                    consumer.seekToEnd(List.of(partition));
                    consumer.position(partition);
                } else {
                    consumer.seek(partition, offset.offset());
                }
            }
        }
    }

    /** What was in the topic when the reading began. */
    private static final class Backlog {
        private final Map<TopicPartition, Long> ends;
        private boolean read;

        Backlog(Map<TopicPartition, Long> ends) {
            this.ends = ends;
        }

        boolean isRead(KafkaConsumer<byte[], byte[]> consumer) {
            if (!read) {
                read = ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
            }
            return read;
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
