package io.sallyport.normalizer.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.EventType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event types of the cell, always up to date: the topic `event-types`, followed by a consumer of its own. Before a
 * type is called unregistered the topic is read to its current end, at most once a second.
 *
 * <p>Safe for use by many threads; {@link #test} blocks while it makes sure.
 */
public final class EventTypeRegistry implements IntPredicate, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventTypeRegistry.class);
    private static final Duration POLL = Duration.ofMillis(250);
    private static final long REFRESH_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long REFRESH_TIMEOUT_S = 30;
    private static final TopicPartition PARTITION = new TopicPartition(Topics.EVENT_TYPES.name(), 0);

    private final Map<Integer, EventType> types = new ConcurrentHashMap<>();
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Thread follower;
    private final CompletableFuture<Void> loaded = new CompletableFuture<>();
    private final AtomicReference<@Nullable CompletableFuture<Void>> asked = new AtomicReference<>();
    private final Object refreshing = new Object();
    private volatile boolean closed;
    private long refreshedNanos;
    private boolean refreshed;

    public EventTypeRegistry(String bootstrapServers) {
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "sallyport-normalizer-event-types",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        follower = new Thread(this::follow, "event-types");
        follower.setDaemon(true);
    }

    public void start() {
        follower.start();
    }

    /** Whether the topic was read to its end once. */
    public boolean isLoaded() {
        return loaded.isDone();
    }

    /**
     * Whether a type may stand in a batch.
     *
     * @throws IllegalStateException where the topic cannot be read: then nothing can be said of an unknown type
     */
    @Override
    public boolean test(int type) {
        if (isInBatch(type)) {
            return true;
        }
        refresh();
        return isInBatch(type);
    }

    private boolean isInBatch(int type) {
        EventType known = types.get(type);
        return known != null && known.getInBatch();
    }

    private void refresh() {
        synchronized (refreshing) {
            if (refreshed && System.nanoTime() - refreshedNanos < REFRESH_EVERY_NANOS) {
                return;
            }
            var done = new CompletableFuture<Void>();
            asked.set(done);
            consumer.wakeup();
            try {
                done.get(REFRESH_TIMEOUT_S, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while reading event-types", e);
            } catch (ExecutionException | TimeoutException e) {
                throw new IllegalStateException("event-types cannot be read to its end", e);
            }
            refreshedNanos = System.nanoTime();
            refreshed = true;
        }
    }

    private void follow() {
        try (consumer) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            while (!closed) {
                try {
                    if (!loaded.isDone()) {
                        readToEnd();
                        loaded.complete(null);
                        LOG.info("{} event types are registered", types.size());
                    }
                    answer();
                    consumer.poll(POLL).forEach(this::apply);
                } catch (WakeupException e) {
                    // Somebody asks for the current end, or the registry closes; both are looked at above.
                    continue;
                } catch (KafkaException e) {
                    LOG.warn("event-types cannot be read; trying again", e);
                    pause();
                }
            }
        } catch (WakeupException e) {
            LOG.debug("woken while closing", e);
        }
    }

    private void answer() {
        CompletableFuture<Void> waiting = asked.get();
        if (waiting != null) {
            readToEnd();
            asked.compareAndSet(waiting, null);
            waiting.complete(null);
        }
    }

    private void readToEnd() {
        long end = consumer.endOffsets(List.of(PARTITION)).getOrDefault(PARTITION, 0L);
        while (!closed && consumer.position(PARTITION) < end) {
            consumer.poll(POLL).forEach(this::apply);
        }
    }

    private void apply(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null) {
            LOG.warn("event-types offset {} has no key", record.offset());
            return;
        }
        try {
            int number = Integer.parseInt(new String(record.key(), StandardCharsets.US_ASCII));
            if (record.value() == null) {
                types.remove(number);
                return;
            }
            EventType type = EventType.parseFrom(record.value());
            if (type.getNumber() == number) {
                types.put(number, type);
                return;
            }
            LOG.warn("event-types offset {}: key and number differ", record.offset());
        } catch (InvalidProtocolBufferException | NumberFormatException e) {
            // One bad record must not hide the others.
            LOG.warn("event-types offset {} cannot be read", record.offset(), e);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(POLL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        if (!follower.isAlive() && follower.getState() == Thread.State.NEW) {
            consumer.close();
            return;
        }
        consumer.wakeup();
        try {
            follower.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
