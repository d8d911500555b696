package io.sallyport.edge.read;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads committed records without a group: from a place, up to everything that was committed before it was asked. For one
 * thread, except {@link #wakeup}.
 */
public final class CommittedReader implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int FETCH_WAIT_MS = 20;
    private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(30);
    /** How long nothing may come of what is still owed; longer than a transaction of a dead writer stays open. */
    private static final Duration PATIENCE = Duration.ofSeconds(75);

    private final Map<String, Object> client;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private @Nullable KafkaConsumer<byte[], byte[]> uncommitted;

    public CommittedReader(String bootstrapServers, String clientId) {
        this(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers, ConsumerConfig.CLIENT_ID_CONFIG, clientId));
    }

    /** @param client how to reach the brokers, and what bounds a fetch */
    public CommittedReader(Map<String, Object> client) {
        this.client = Map.copyOf(client);
        this.consumer = consumer("read_committed", "");
    }

    /** @param suffix of the client's id: each id of a process has its meters once */
    private KafkaConsumer<byte[], byte[]> consumer(String isolation, String suffix) {
        var config = new HashMap<>(client);
        config.computeIfPresent(ConsumerConfig.CLIENT_ID_CONFIG, (key, id) -> id + suffix);
        // What is asked next, a close too, waits for the fetch that is under way.
        config.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MS);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** From the oldest record of every partition of a topic. */
    public CommittedReader fromBeginning(String topic) {
        return fromBeginning(partitions(topic));
    }

    /** From the oldest record of these. */
    public CommittedReader fromBeginning(Collection<TopicPartition> partitions) {
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return this;
    }

    /** From an offset, or from the oldest record where retention took that. */
    public CommittedReader from(TopicPartition partition, long offset) {
        return from(Map.of(partition, offset));
    }

    /** The same of several partitions; at least one. */
    public CommittedReader from(Map<TopicPartition, Long> offsets) {
        consumer.assign(offsets.keySet());
        offsets.forEach(consumer::seek);
        return this;
    }

    /**
     * From so many offsets before the end of a partition. Markers of transactions are among them, and those that retention took
     * are not.
     */
    public CommittedReader fromLast(TopicPartition partition, long offsets) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, Math.max(0, ends().getOrDefault(partition, 0L) - offsets));
        return this;
    }

    /** @throws IllegalStateException where there is no such topic */
    public List<TopicPartition> partitions(String topic) {
        List<PartitionInfo> found = consumer.partitionsFor(topic, METADATA_TIMEOUT);
        if (found == null || found.isEmpty()) {
            throw new IllegalStateException("topic " + topic + " is missing");
        }
        return found.stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
    }

    /**
     * From where the reader stands, everything that was committed before this call, in the order of each partition, and
     * perhaps some of what came since. Whoever leaves before the end begins anew with {@link #from}.
     *
     * <p>What a commit has made visible in one partition may not yet be visible in another, because its markers arrive one
     * after the other. So it is read up to the end of what was written, and an open transaction is waited for; that of a
     * dead writer until the broker aborts it.
     *
     * @return to be gone through once; throws {@link TimeoutException} where the broker does not give what it owes
     */
    public Iterable<ConsumerRecord<byte[], byte[]>> toEnd() {
        Map<TopicPartition, Long> written = ends();
        return () -> new UpTo(written, false);
    }

    /**
     * The same without what came since: two topics that are written together can so be compared. The reader may stand behind
     * the end afterwards.
     */
    public Iterable<ConsumerRecord<byte[], byte[]>> toExactEnd() {
        Map<TopicPartition, Long> written = ends();
        return () -> new UpTo(written, true);
    }

    private Map<TopicPartition, Long> ends() {
        if (uncommitted == null) {
            uncommitted = consumer("read_uncommitted", "-ends");
        }
        return uncommitted.endOffsets(consumer.assignment());
    }

    /** What comes within a while. */
    public ConsumerRecords<byte[], byte[]> poll(Duration atMost) {
        return consumer.poll(atMost);
    }

    /** Offset of the first record that was appended at or after a time, in ms; -1 where there is none. */
    public long offsetAt(TopicPartition partition, long appendMs) {
        return offsetsAt(Map.of(partition, appendMs)).getOrDefault(partition, -1L);
    }

    /** The same of several partitions; one that has no such record is left out. */
    public Map<TopicPartition, Long> offsetsAt(Map<TopicPartition, Long> appendMs) {
        var offsets = new HashMap<TopicPartition, Long>();
        consumer.offsetsForTimes(appendMs).forEach((partition, found) -> {
            if (found != null) {
                offsets.put(partition, found.offset());
            }
        });
        return offsets;
    }

    /** Next offset to be read. */
    public long position(TopicPartition partition) {
        return consumer.position(partition);
    }

    /** Ends a wait from another thread: the waiting call throws. */
    public void wakeup() {
        consumer.wakeup();
    }

    @Override
    public void close() {
        try (KafkaConsumer<byte[], byte[]> ends = uncommitted) {
            consumer.close();
        }
    }

    private final class UpTo implements Iterator<ConsumerRecord<byte[], byte[]>> {
        private final Map<TopicPartition, Long> ends;
        private final boolean exact;
        private final ArrayDeque<ConsumerRecord<byte[], byte[]>> read = new ArrayDeque<>();
        private long owed = Long.MAX_VALUE;
        private long progressNanos = System.nanoTime();

        UpTo(Map<TopicPartition, Long> ends, boolean exact) {
            this.ends = ends;
            this.exact = exact;
        }

        @Override
        public boolean hasNext() {
            while (read.isEmpty() && isOwed()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    var partition = new TopicPartition(record.topic(), record.partition());
                    if (!exact || record.offset() < ends.getOrDefault(partition, 0L)) {
                        read.add(record);
                    }
                }
            }
            return !read.isEmpty();
        }

        private boolean isOwed() {
            long left = ends.entrySet().stream()
                    .mapToLong(end -> Math.max(0, end.getValue() - consumer.position(end.getKey())))
                    .sum();
            long nowNanos = System.nanoTime();
            if (left < owed) {
                owed = left;
                progressNanos = nowNanos;
            } else if (nowNanos - progressNanos > PATIENCE.toNanos()) {
                throw new TimeoutException("the end of " + ends.keySet() + " cannot be read");
            }
            return left > 0;
        }

        @Override
        public ConsumerRecord<byte[], byte[]> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return read.remove();
        }
    }
}
