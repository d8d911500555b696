package io.sallyport.consumer.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.consumer.NotNowException;
import io.sallyport.consumer.Position;
import io.sallyport.consumer.RecordHandler;
import io.sallyport.consumer.core.LagAlarm;
import io.sallyport.consumer.core.ShardProgress;
import io.sallyport.consumer.core.ShardProgress.Step;
import io.sallyport.consumer.core.Trial;
import io.sallyport.consumer.metrics.AlertKind;
import io.sallyport.consumer.metrics.ConsumerMeters;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member of a consumer group over `structured`: hands what is current to a {@link RecordHandler}, in order per sensor, and
 * commits what was handled. {@link #run} belongs to one thread, which makes all calls of the handler; {@link #close} may come
 * from any other. It keeps a few numbers for each shard, and what one poll fetched.
 */
public final class StructuredConsumer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StructuredConsumer.class);
    private static final Duration POLL = Duration.ofMillis(200);
    /** Handling between two polls ends then, so that the group does not take this member for dead. */
    private static final long TURN_MS = 60_000;

    private static final long COMMIT_EVERY_MS = 1_000;
    private static final Duration CLOSING = Duration.ofSeconds(60);

    private final ConsumerSettings settings;
    private final RecordHandler handler;
    private final Clock clock;
    private final ConsumerMeters meters;
    private final Consumer<byte[], byte[]> consumer;
    private final GivenUp givenUp;
    private final Shards shards;
    private final AtomicBoolean started = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closing;
    private volatile @Nullable Thread runner;
    private LagAlarm alarm;
    private long committedAtMs;

    public StructuredConsumer(ConsumerSettings settings, RecordHandler handler, MeterRegistry registry) {
        this(settings, handler, registry, Clock.systemUTC());
    }

    StructuredConsumer(ConsumerSettings settings, RecordHandler handler, MeterRegistry registry, Clock clock) {
        this.settings = settings;
        this.handler = handler;
        this.clock = clock;
        this.meters = new ConsumerMeters(registry, settings.group());
        this.alarm = LagAlarm.below(settings.lag().alert());
        this.consumer = Clients.consumer(settings);
        this.givenUp = new GivenUp(settings, consumer, clock);
        this.shards = new Shards(consumer, new KnownTakeovers(settings), handler);
    }

    /**
     * Reads until {@link #close}, or until it cannot go on.
     *
     * @throws KafkaException where the brokers refuse it for good; to begin again, make a new consumer
     */
    public void run() {
        if (!started.compareAndSet(false, true)) {
            throw new IllegalStateException("a consumer runs once");
        }
        runner = Thread.currentThread();
        try {
            consumer.subscribe(List.of(Topics.STRUCTURED.name()), shards);
            while (!closing) {
                turn();
            }
        } catch (WakeupException e) {
            if (!closing) {
                throw e;
            }
        } catch (Error e) {
            // Whatever the handler left undone must come again.
            shards.forget();
            throw e;
        } finally {
            end();
        }
    }

    private void end() {
        try {
            try {
                shards.commit();
            } catch (WakeupException e) {
                // It was meant for a poll that had ended already.
                shards.commit();
            }
        } catch (RuntimeException e) {
            LOG.warn("what was handled last is not committed and comes again: {}", e.toString());
        }
        try {
            givenUp.close();
            consumer.close();
        } finally {
            meters.close();
            ended.countDown();
        }
    }

    private void turn() {
        try {
            shards.resumeDue(clock.millis());
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            long untilMs = clock.millis() + TURN_MS;
            for (TopicPartition partition : records.partitions()) {
                List<ConsumerRecord<byte[], byte[]>> of = records.records(partition);
                Shard shard = shards.of(partition);
                shard.seen(of.get(0).timestamp());
                if (told(shard, of.get(0).offset())) {
                    handle(shard, of, untilMs);
                }
            }
        } catch (OffsetOutOfRangeException e) {
            e.offsetOutOfRangePartitions().forEach(this::overrun);
        }
        long nowMs = clock.millis();
        for (Shard quiet : shards.untold()) {
            // One that waits is resumed first; and before its position is known, nothing can be held there.
            if (!consumer.paused().contains(quiet.partition())
                    && consumer.currentLag(quiet.partition()).isPresent()) {
                told(quiet, consumer.position(quiet.partition()));
            }
        }
        watchLag(nowMs);
        if (nowMs - committedAtMs >= COMMIT_EVERY_MS || nowMs < committedAtMs) {
            shards.commit();
            committedAtMs = nowMs;
        }
    }

    /** In order, until one has to wait; those behind it are fetched again. */
    private void handle(Shard shard, List<ConsumerRecord<byte[], byte[]>> records, long untilMs) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (closing || clock.millis() > untilMs) {
                consumer.seek(shard.partition(), record.offset());
                return;
            }
            shard.seen(record.timestamp());
            if (!handled(shard, record)) {
                return;
            }
        }
    }

    /** @return false where reading goes on elsewhere */
    private boolean handled(Shard shard, ConsumerRecord<byte[], byte[]> record) {
        StructuredRecord value;
        Step step;
        try {
            value = StructuredRecord.parseFrom(record.value() == null ? new byte[0] : record.value());
            step = shard.progress().step(value, record.offset(), settings.eventTypes());
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            return giveUp(shard, record, StructuredRecord.getDefaultInstance(), 1, e);
        }
        if (step instanceof ShardProgress.Pass pass) {
            meters.passed(pass.why());
            shard.passed(value, record.offset(), pass.why());
            return true;
        }
        Trial trial = shard.trial(record.offset(), record.timestamp());
        if (trial.failures() >= settings.retry().attempts()) {
            // It was given up before, and that could not be written.
            return giveUp(shard, record, value, trial.failures(), shard.lastFailure());
        }
        Throwable failure = call(shard, step, record.offset());
        if (failure == null) {
            return done(shard, step, record.offset());
        }
        if (closing && Thread.currentThread().isInterrupted()) {
            consumer.seek(shard.partition(), record.offset());
            return false;
        }
        meters.failure();
        boolean counts = !(failure instanceof NotNowException);
        Trial after =
                trial.failed(counts, settings.retry().first(), settings.retry().longest(), clock.millis());
        shard.failed(after, failure);
        if (after.failures() >= settings.retry().attempts()) {
            return giveUp(shard, record, value, after.failures(), failure);
        }
        LOG.debug("{} {} failed, tried again", shard.partition(), record.offset(), failure);
        return shard.waitFor(consumer, after);
    }

    private boolean done(Shard shard, Step step, long offset) {
        if (step instanceof ShardProgress.Replaced replaced) {
            shard.replaced(replaced.takeover());
            consumer.seek(shard.partition(), replaced.from());
            return false;
        }
        if (step instanceof ShardProgress.Event event) {
            meters.event();
            shard.done(event.generation(), offset);
        } else if (step instanceof ShardProgress.Marker marker) {
            meters.marker();
            shard.done(marker.generation(), offset);
        }
        return true;
    }

    /** @return what it threw; null where it returned */
    private @Nullable Throwable call(Shard shard, Step step, long offset) {
        int number = shard.partition().partition();
        try {
            if (step instanceof ShardProgress.Event event) {
                handler.event(event.event(), new Position(number, event.generation(), offset));
            } else if (step instanceof ShardProgress.Marker marker) {
                handler.marker(marker.marker(), new Position(number, marker.generation(), offset));
            } else if (step instanceof ShardProgress.Replaced replaced) {
                handler.replaced(number, replaced.takeover());
            }
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closing = true;
            return e;
        } catch (Exception | StackOverflowError e) {
            return e;
        }
    }

    /**
     * Writes the dead letter, its marker and the position behind it in one transaction.
     *
     * @return false where that must be tried again
     */
    private boolean giveUp(
            Shard shard,
            ConsumerRecord<byte[], byte[]> record,
            StructuredRecord value,
            int attempts,
            @Nullable Throwable failure) {
        Trial trial = shard.trial(record.offset(), record.timestamp());
        ShardProgress after = shard.progressBehind(value, record.offset());
        long next = shard.nextBehind(value, record.offset());
        try {
            givenUp.deadLetter(record, value, attempts, failure, next, after.text());
        } catch (KafkaException e) {
            LOG.warn("a dead letter cannot be written, tried again: {}", e.toString());
            Trial again = new Trial(trial.offset(), trial.appendedMs(), attempts, trial.pauses(), 0)
                    .failed(false, settings.retry().first(), settings.retry().longest(), clock.millis());
            shard.failed(again, failure);
            return shard.waitFor(consumer, again);
        }
        meters.deadLetter("%s offset %d given up after %d attempts: %s"
                .formatted(shard.partition(), record.offset(), attempts, GivenUp.reason(failure)));
        shard.givenUp(after, next);
        if (next != record.offset() + 1) {
            consumer.seek(shard.partition(), next);
            return false;
        }
        return true;
    }

    /**
     * Before anything else of a shard the handler is told of what took over while this group did not read: no record of the log
     * may tell it any more. That is tried until it works, since there is nothing that could be put aside.
     *
     * @param offset where the shard stands
     * @return false where the shard has to wait there
     */
    private boolean told(Shard shard, long offset) {
        try {
            shards.learn(shard);
        } catch (KafkaException e) {
            return later(shard, offset, e);
        }
        for (ShardTakeover next = shard.untold(); next != null; next = shard.untold()) {
            Throwable failure = call(shard, new ShardProgress.Replaced(next, offset), offset);
            if (failure != null) {
                return later(shard, offset, failure);
            }
            shard.replaced(next);
        }
        return true;
    }

    private boolean later(Shard shard, long offset, Throwable failure) {
        meters.failure();
        LOG.warn("{} waits at offset {}: {}", shard.partition(), offset, failure.toString());
        Trial again = shard.trial(offset, clock.millis())
                .failed(false, settings.retry().first(), settings.retry().longest(), clock.millis());
        shard.failed(again, failure);
        return shard.waitFor(consumer, again);
    }

    /** Retention took what was not read yet, or the log was made anew. What is to be written of it is tried until it works. */
    private void overrun(TopicPartition partition, long offset) {
        if (!shards.has(partition)) {
            return;
        }
        Shard shard = shards.of(partition);
        try {
            long begin = consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
            if (begin <= offset) {
                // Offsets that were handled are those of another log; its takeovers are told before its records.
                shard.beginAgain();
                shard.forgetTakeovers();
                meters.alert(
                        AlertKind.CONSUMER_OVERRUN,
                        "%s ends before offset %d, where this group stands: it begins again"
                                .formatted(partition, offset));
                consumer.seek(partition, begin);
                return;
            }
            // What took over meanwhile may have left the log with what was lost.
            shard.forgetTakeovers();
            if (!told(shard, offset)) {
                return;
            }
            lost(shard, offset, begin);
            consumer.seek(partition, begin);
        } catch (KafkaException e) {
            later(shard, offset, e);
        }
    }

    private void lost(Shard shard, long offset, long begin) {
        OffsetAndMetadata committed =
                consumer.committed(Set.of(shard.partition())).get(shard.partition());
        long from = shard.lostFrom(offset, committed);
        if (from < begin) {
            givenUp.overrun(shard.partition(), from, shard.telling(begin));
        }
        meters.alert(
                AlertKind.CONSUMER_OVERRUN,
                "%s offsets %d to %d were gone before they were read".formatted(shard.partition(), offset, begin - 1));
    }

    private void watchLag(long nowMs) {
        double used = shards.oldestWaitingMs(nowMs)
                / (double) settings.lag().retention().toMillis();
        meters.retentionUsed(used);
        LagAlarm before = alarm;
        alarm = alarm.seen(used);
        if (alarm.ringsAfter(before)) {
            meters.alert(
                    AlertKind.CONSUMER_LAG,
                    "what waits in %s has used up %d %% of its retention"
                            .formatted(Topics.STRUCTURED.name(), Math.round(used * 100)));
        }
    }

    /**
     * Ends {@link #run} after the record in hand, commits and leaves the group; returns when that is done, or at once where the
     * handler itself calls it.
     */
    @Override
    public void close() {
        closing = true;
        if (started.compareAndSet(false, true)) {
            end();
            return;
        }
        if (Thread.currentThread().equals(runner)) {
            return;
        }
        consumer.wakeup();
        try {
            if (!ended.await(CLOSING.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("the handler has not returned within {}", CLOSING);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
