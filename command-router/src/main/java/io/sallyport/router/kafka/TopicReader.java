package io.sallyport.router.kafka;

import io.sallyport.envelope.topic.TopicSpec;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the committed records of a whole topic on a daemon thread of its own, without a consumer group. A broker that is
 * away is waited for.
 */
final class TopicReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicReader.class);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(5);
    private static final long BACKOFF_MS = 1_000;
    /** A question for the end of the topic waits behind the fetch that is under way. */
    private static final int FETCH_MAX_WAIT_MS = 20;

    private static final long JOIN_MS = 10_000;

    private final TopicSpec<?> topic;
    private final String bootstrapServers;
    private final Handler handler;
    private final Thread thread;
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final ConcurrentLinkedQueue<CompletableFuture<Void>> asked = new ConcurrentLinkedQueue<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private volatile boolean caughtUp;
    private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer;

    /** Called on the reader's thread. What it throws is logged, and the batch read again. */
    interface Handler {
        /** @param positions next offset to read of each partition, behind these records */
        void read(ConsumerRecords<byte[], byte[]> records, Map<Integer, Long> positions);
    }

    /** @param from next offset to read, by partition; the beginning where it is missing or no longer there */
    TopicReader(TopicSpec<?> topic, String bootstrapServers, Map<Integer, Long> from, Handler handler) {
        this.topic = topic;
        this.bootstrapServers = bootstrapServers;
        this.handler = handler;
        from.forEach((partition, offset) -> positions.put(new TopicPartition(topic.name(), partition), offset));
        this.thread = new Thread(this::run, "router-" + topic.name());
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Whether what was in the topic at the start has been read; stays true from then on. */
    boolean isCaughtUp() {
        return caughtUp;
    }

    /** Completes when all that is in the topic now has been read. */
    CompletableFuture<Void> catchUp() {
        var reached = new CompletableFuture<Void>();
        asked.add(reached);
        KafkaConsumer<byte[], byte[]> open = consumer;
        if (open != null) {
            open.wakeup();
        }
        return reached;
    }

    @Override
    public void close() {
        stopping.countDown();
        KafkaConsumer<byte[], byte[]> open = consumer;
        if (open != null) {
            open.wakeup();
        }
        try {
            thread.join(JOIN_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!isStopping()) {
            try (var opened = new KafkaConsumer<>(config(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                consumer = opened;
                read(opened);
            } catch (WakeupException e) {
                // Either closing, or asked to catch up while connecting: begin anew.
                LOG.debug("the reader of {} was woken up", topic.name());
            } catch (InterruptException e) {
                return;
            } catch (RuntimeException e) {
                LOG.warn("reading {} failed, trying again", topic.name(), e);
                pause();
            } finally {
                consumer = null;
            }
        }
    }

    private void read(KafkaConsumer<byte[], byte[]> open) {
        List<TopicPartition> partitions = partitions(open);
        open.assign(partitions);
        for (TopicPartition partition : partitions) {
            Long kept = positions.get(partition);
            if (kept == null) {
                open.seekToBeginning(List.of(partition));
            } else {
                open.seek(partition, kept);
            }
        }
        Map<TopicPartition, Long> first = open.endOffsets(partitions);
        while (!isStopping()) {
            poll(open, partitions);
            if (!caughtUp && hasReached(first)) {
                caughtUp = true;
            }
            answer(open, partitions);
        }
    }

    private void poll(KafkaConsumer<byte[], byte[]> open, Collection<TopicPartition> partitions) {
        ConsumerRecords<byte[], byte[]> records;
        try {
            records = open.poll(POLL);
        } catch (WakeupException e) {
            LOG.trace("the reader of {} was woken up", topic.name());
            return;
        }
        var next = new HashMap<Integer, Long>();
        for (TopicPartition partition : partitions) {
            next.put(partition.partition(), open.position(partition));
        }
        if (!records.isEmpty()) {
            handler.read(records, next);
        }
        // Whatever went wrong before this line, the same records are read again.
        next.forEach((partition, offset) -> positions.put(new TopicPartition(topic.name(), partition), offset));
    }

    private void answer(KafkaConsumer<byte[], byte[]> open, Collection<TopicPartition> partitions) {
        var waiting = List.copyOf(asked);
        if (waiting.isEmpty()) {
            return;
        }
        Map<TopicPartition, Long> ends = open.endOffsets(partitions);
        while (!hasReached(ends) && !isStopping()) {
            poll(open, partitions);
        }
        waiting.forEach(reached -> reached.complete(null));
        asked.removeAll(waiting);
    }

    private List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> open) {
        List<PartitionInfo> found = open.partitionsFor(topic.name(), METADATA_TIMEOUT);
        if (found == null || found.isEmpty()) {
            throw new IllegalStateException("topic " + topic.name() + " is missing");
        }
        return found.stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
    }

    private boolean hasReached(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> positions.getOrDefault(end.getKey(), -1L) >= end.getValue());
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    private void pause() {
        try {
            stopping.await(BACKOFF_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            stopping.countDown();
        }
    }

    private Map<String, Object> config() {
        return Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.CLIENT_ID_CONFIG,
                "router-" + topic.name(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                FETCH_MAX_WAIT_MS,
                ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                1_000);
    }
}
