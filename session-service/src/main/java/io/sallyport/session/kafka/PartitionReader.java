package io.sallyport.session.kafka;

import io.sallyport.envelope.topic.TopicSpec;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads fixed partitions on a daemon thread of its own, without a consumer group, for as long as it is open. A broker that is away is waited for; the positions are kept meanwhile, in this object.
 */
final class PartitionReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final long LOOK_MS = 250;
    private static final Duration END_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(5);
    private static final long BACKOFF_MS = 1_000;
    private static final long JOIN_MS = 10_000;

    private final TopicSpec<?> topic;
    private final Source source;
    private final Consumer<ConsumerRecord<byte[], byte[]>> handler;
    private final Thread thread;
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final CompletableFuture<Void> caughtUp = new CompletableFuture<>();
    /** When the ends were asked for that were last reached. */
    private volatile long reachedNanos;

    private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer;

    /** Where a reader starts. */
    enum From {
        /** At the oldest record; caught up once it has read what was there when it started. */
        BEGINNING,
        /** Behind the newest record; caught up once that position is known. */
        END
    }

    /** Which records are seen. */
    enum Isolation {
        /** Those of a transaction only once it is committed. */
        COMMITTED,
        /** All, at once: for readers to whom what is undone afterwards does no harm. */
        UNCOMMITTED
    }

    /**
     * What is read.
     *
     * @param clientId also the name of the thread
     * @param partition the only one to read; empty reads all of the topic
     */
    record Source(String bootstrapServers, String clientId, OptionalInt partition, From from, Isolation isolation) {
        Source(String bootstrapServers, String clientId, OptionalInt partition, From from) {
            this(bootstrapServers, clientId, partition, from, Isolation.COMMITTED);
        }
    }

    /** @param handler called on the reader's thread; one record that it throws at is logged and passed over */
    PartitionReader(TopicSpec<?> topic, Source source, Consumer<ConsumerRecord<byte[], byte[]>> handler) {
        this.topic = topic;
        this.source = source;
        this.handler = handler;
        this.thread = new Thread(this::run, source.clientId());
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** See {@link From}; stays true from then on. */
    boolean isCaughtUp() {
        return caughtUp.isDone();
    }

    /** As {@link #isCaughtUp()}. Not to be completed by others. */
    CompletableFuture<Void> caughtUp() {
        return caughtUp;
    }

    /**
     * How long ago all was handled that was in the partitions at that moment, in ms. Grows while the broker does not
     * answer, or while more comes than is handled. Only for a reader from the {@link From#BEGINNING} that is caught up.
     */
    long behindMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - reachedNanos);
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
            } catch (WakeupException | InterruptException e) {
                // Only close() wakes this thread up.
                return;
            } catch (RuntimeException e) {
                LOG.warn("reading {} failed, trying again: {}", topic.name(), e.toString());
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
            if (kept != null) {
                open.seek(partition, kept);
            } else if (source.from() == From.BEGINNING) {
                open.seekToBeginning(List.of(partition));
            } else {
                open.seekToEnd(List.of(partition));
            }
        }
        remember(open, partitions);
        long askedNanos = System.nanoTime();
        Map<TopicPartition, Long> ends = open.endOffsets(partitions);
        while (!isStopping()) {
            if (hasReached(ends)) {
                reachedNanos = askedNanos;
                caughtUp.complete(null);
            }
            if (source.from() == From.END) {
                caughtUp.complete(null);
            }
            for (ConsumerRecord<byte[], byte[]> record : open.poll(POLL)) {
                handle(record);
            }
            remember(open, partitions);
            if (source.from() == From.BEGINNING && reachedNanos == askedNanos && behindMs() >= LOOK_MS) {
                long nowNanos = System.nanoTime();
                try {
                    ends = open.endOffsets(partitions, END_TIMEOUT);
                    askedNanos = nowNanos;
                } catch (TimeoutException e) {
                    LOG.debug("nobody tells the ends of {}", topic.name(), e);
                }
            }
        }
    }

    private List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> open) {
        if (source.partition().isPresent()) {
            return List.of(new TopicPartition(topic.name(), source.partition().getAsInt()));
        }
        List<PartitionInfo> found = open.partitionsFor(topic.name(), METADATA_TIMEOUT);
        if (found == null || found.isEmpty()) {
            throw new IllegalStateException("topic " + topic.name() + " is missing");
        }
        return found.stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
    }

    /** Also makes the consumer look its start positions up, where it has not yet. */
    private void remember(KafkaConsumer<byte[], byte[]> open, Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            positions.put(partition, open.position(partition));
        }
    }

    private boolean hasReached(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> positions.getOrDefault(end.getKey(), -1L) >= end.getValue());
    }

    private void handle(ConsumerRecord<byte[], byte[]> record) {
        try {
            handler.accept(record);
        } catch (RuntimeException e) {
            LOG.error(
                    "passed over a record of {} at partition {} offset {}",
                    topic.name(),
                    record.partition(),
                    record.offset(),
                    e);
        }
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
                source.bootstrapServers(),
                ConsumerConfig.CLIENT_ID_CONFIG,
                source.clientId(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                source.isolation() == Isolation.COMMITTED ? "read_committed" : "read_uncommitted",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                source.from() == From.BEGINNING ? "earliest" : "latest",
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                1_000);
    }
}
