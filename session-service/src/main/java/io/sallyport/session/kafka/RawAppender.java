package io.sallyport.session.kafka;

import io.sallyport.envelope.routing.RoutingEpoch;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.log.v1.Stamp;
import io.sallyport.session.core.RawLog;
import io.sallyport.session.core.RawPressure;
import io.sallyport.session.core.SensorRoute;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The raw log on Kafka: one idempotent producer for all connections of the node, fed by one thread. The thread alone
 * waits where the producer waits (for metadata), so an event loop never does; and since it takes records in the order
 * they were handed over, the log has them in that order.
 *
 * <p>What is queued is bounded by the node's byte budget: a record is charged there before it comes here.
 */
public final class RawAppender implements RawLog, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RawAppender.class);
    private static final long RENEW_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long FAILING_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int POLL_MS = 100;

    private record Item(
            SensorRoute route, RawKind kind, byte[] value, Stamp stamp, long queuedNanos, Completion whenDone) {}

    private final LinkedBlockingQueue<Item> queue = new LinkedBlockingQueue<>();
    private final RawProducers producers;
    private final ShardMap shards;
    private final IntFunction<RawPressure> pressures;
    private final Thread thread;
    private Producer<byte[], byte[]> producer;
    private long renewedNanos = System.nanoTime() - RENEW_INTERVAL_NANOS;
    private volatile boolean open = true;
    /** Set by the producer's thread where only a new producer can help. */
    private volatile @Nullable Producer<byte[], byte[]> broken;

    private volatile boolean lastFailed;
    private volatile long lastFailureNanos;

    /** @param pressures what each partition asks for now */
    public RawAppender(RawProducers producers, ShardMap shards, IntFunction<RawPressure> pressures) {
        this.producers = producers;
        this.shards = shards;
        this.pressures = pressures;
        this.producer = producers.create();
        this.thread = new Thread(this::run, "raw-appender");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void append(SensorRoute route, RawKind kind, byte[] value, Stamp stamp, Completion whenDone) {
        if (!open) {
            whenDone.done(Result.UNAVAILABLE);
            return;
        }
        queue.add(new Item(route, kind, value, stamp, System.nanoTime(), whenDone));
    }

    @Override
    public RawPressure pressure(SensorRoute route) {
        return pressures.apply(shard(route));
    }

    /** By the routing epoch of now: one that begins between this and the append moves a few records elsewhere. */
    @Override
    public int shard(SensorRoute route) {
        return shards.at(System.currentTimeMillis() * 1_000).shardOf(route.slot());
    }

    /** The last append failed, and not long ago. */
    public boolean isFailing() {
        return lastFailed && System.nanoTime() - lastFailureNanos < FAILING_NANOS;
    }

    /** Records that wait for the appending thread. */
    public int queued() {
        return queue.size();
    }

    private void run() {
        warmUp();
        while (open || !queue.isEmpty()) {
            try {
                Item item = queue.poll(POLL_MS, TimeUnit.MILLISECONDS);
                if (item != null) {
                    renewIfBroken();
                    send(item);
                }
            } catch (InterruptedException e) {
                // Only close() interrupts, after the time it gives: what is left has no outcome but this one.
                break;
            } catch (RuntimeException e) {
                LOG.error("the appending thread goes on after a failure that no record answers for", e);
            }
        }
        for (Item item = queue.poll(); item != null; item = queue.poll()) {
            item.whenDone().done(Result.UNAVAILABLE);
        }
    }

    private void warmUp() {
        try {
            producer.partitionsFor(producers.topic());
        } catch (KafkaException e) {
            LOG.warn("no metadata of the raw log yet: {}", e.toString());
        }
    }

    private void send(Item item) {
        // The broker has been away for longer than a record may wait: its sensor is to know now, not one by one later.
        if (System.nanoTime() - item.queuedNanos() > producers.deliveryTimeout().toNanos()) {
            failed("waited too long for the log");
            item.whenDone().done(Result.UNAVAILABLE);
            return;
        }
        RoutingEpoch routing = shards.at(item.stamp().getIngestTsUs());
        Stamp stamp = routing.id() == 0
                ? item.stamp()
                : item.stamp().toBuilder().setRoutingEpoch(routing.id()).build();
        int partition = routing.shardOf(item.route().slot());
        Producer<byte[], byte[]> by = producer;
        try {
            by.send(
                    RawRecords.record(item.route(), partition, item.kind(), item.value(), stamp),
                    (RecordMetadata metadata, @Nullable Exception failure) -> done(by, item.whenDone(), failure));
        } catch (RuntimeException e) {
            // The producer calls back for what it reports as a failure of the record; what it throws, it does not.
            done(by, item.whenDone(), e);
        }
    }

    private void done(Producer<byte[], byte[]> by, Completion whenDone, @Nullable Exception failure) {
        if (failure == null) {
            if (lastFailed) {
                lastFailed = false;
                LOG.info("appends to the raw log succeed again");
            }
            whenDone.done(Result.DURABLE);
        } else if (failure instanceof RecordTooLargeException) {
            whenDone.done(Result.TOO_LARGE);
        } else {
            if (!(failure instanceof RetriableException)) {
                LOG.warn("append failed for good: {}", failure.toString());
                broken = by;
            }
            failed(failure.toString());
            whenDone.done(Result.UNAVAILABLE);
        }
    }

    private void failed(String why) {
        lastFailureNanos = System.nanoTime();
        if (!lastFailed) {
            lastFailed = true;
            LOG.warn("appends to the raw log fail: {}", why);
        }
    }

    private void renewIfBroken() {
        if (broken != producer || System.nanoTime() - renewedNanos < RENEW_INTERVAL_NANOS) {
            return;
        }
        LOG.warn("making a new producer of the raw log");
        renewedNanos = System.nanoTime();
        broken = null;
        // Everything on its way fails before anything new is sent: the order within a session stays.
        producer.close(Duration.ZERO);
        producer = producers.create();
        warmUp();
    }

    /** Sends what is queued, waits for its outcome, and closes the producer. */
    @Override
    public void close() {
        open = false;
        try {
            thread.join(producers.deliveryTimeout().toMillis());
            thread.interrupt();
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close(producers.deliveryTimeout());
    }
}
