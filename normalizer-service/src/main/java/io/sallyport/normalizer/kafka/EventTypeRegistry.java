package io.sallyport.normalizer.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.TailSource;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.EventType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntPredicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
    private static final long REFRESH_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long REFRESH_TIMEOUT_S = 30;

    private final Map<Integer, EventType> types = new ConcurrentHashMap<>();
    private final TopicTail tail;
    private final Object refreshing = new Object();
    private long refreshedNanos;
    private boolean refreshed;

    public EventTypeRegistry(String bootstrapServers) {
        tail = new TopicTail(
                TailSource.of(bootstrapServers, "sallyport-normalizer-event-types", List.of(Topics.EVENT_TYPES.name())),
                (records, next) -> records.forEach(this::apply));
    }

    public void start() {
        tail.start();
    }

    /** Whether the topic was read to its end once. */
    public boolean isLoaded() {
        return tail.isLoaded();
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
            try {
                tail.catchUp().get(REFRESH_TIMEOUT_S, TimeUnit.SECONDS);
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

    @Override
    public void close() {
        tail.close();
    }
}
