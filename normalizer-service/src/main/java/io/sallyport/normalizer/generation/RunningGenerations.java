package io.sallyport.normalizer.generation;

import io.sallyport.normalizer.streams.Incarnation;
import io.sallyport.normalizer.streams.NormalizerStreams;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.Replay;
import io.sallyport.proto.log.v1.Replay.Phase;
import io.sallyport.proto.log.v1.ShardStart;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the generations that the topic `generations` wants: the live one, and the one that is on its way. So each instance of
 * each build runs the same ones, whatever it ran when it was stopped.
 */
public final class RunningGenerations implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningGenerations.class);
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** A topology stops by itself within twenty seconds. */
    private static final long CLOSE_MS = 25_000;

    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final GenerationLog log;
    private final RetiredGenerations retired;
    private final Factory factory;
    private final Runnable onGivingUp;
    private final Map<Integer, NormalizerStreams> running = new ConcurrentHashMap<>();
    private final Thread follower = new Thread(this::follow, "generations");
    private volatile boolean closed;
    private volatile int live;
    /** The live one where none takes over. */
    private volatile int takingOver;

    /** Which have stopped by themselves here. */
    private final Set<Integer> dead = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean told = new AtomicBoolean();

    /** Makes what runs a generation; it is started and closed here. */
    @FunctionalInterface
    public interface Factory {
        /** @param onGivingUp called when it stops by itself */
        NormalizerStreams make(Incarnation incarnation, Runnable onGivingUp);
    }

    /** @param onGivingUp called once when the generation that is live, or takes over, stops by itself; one that catches up harms nobody */
    public RunningGenerations(String bootstrapServers, Factory factory, Runnable onGivingUp) {
        this.log = new GenerationLog(bootstrapServers);
        this.retired = new RetiredGenerations(bootstrapServers);
        this.factory = factory;
        this.onGivingUp = onGivingUp;
        follower.setDaemon(true);
    }

    /** Returns when the generations are started; their partitions come later. */
    public void start() {
        apply(log.current());
        follower.start();
    }

    /** The generation that serves. */
    public int live() {
        return live;
    }

    private void follow() {
        long sweptNanos = System.nanoTime() - SWEEP_NANOS;
        while (!closed) {
            try {
                Generations wanted = log.next(LOOK);
                apply(wanted);
                if (System.nanoTime() - sweptNanos >= SWEEP_NANOS) {
                    sweptNanos = System.nanoTime();
                    retired.sweep(wanted);
                }
            } catch (WakeupException e) {
                // Only close() wakes.
            } catch (KafkaException e) {
                // What runs goes on; the client mends what can be mended.
                LOG.warn("the topic of generations cannot be read now", e);
            } catch (RuntimeException e) {
                // This thread must not end: without it no generation would begin or end here any more.
                LOG.error("what should run now could not be made to run", e);
            }
        }
    }

    /** Stopping a generation takes a while; whoever asks how this instance is does not wait for it. */
    private synchronized void apply(Generations wanted) {
        if (closed) {
            return;
        }
        var incarnations = new HashMap<Integer, Incarnation>();
        live = wanted.getLive();
        takingOver = wanted.hasReplay() && wanted.getReplay().getPhase() == Phase.TAKING_OVER
                ? wanted.getReplay().getGeneration()
                : live;
        incarnations.put(wanted.getLive(), new Incarnation(wanted.getLive(), Map.of()));
        if (wanted.hasReplay()) {
            incarnations.put(wanted.getReplay().getGeneration(), incarnation(wanted.getReplay()));
        }
        for (int generation : List.copyOf(running.keySet())) {
            if (!incarnations.containsKey(generation)) {
                LOG.info("generation {} ends", Integer.toUnsignedString(generation));
                NormalizerStreams ended = running.remove(generation);
                dead.remove(generation);
                if (ended != null) {
                    ended.retire();
                }
            }
        }
        incarnations.forEach((generation, incarnation) -> running.computeIfAbsent(generation, number -> {
            LOG.info("generation {} begins", Integer.toUnsignedString(number));
            NormalizerStreams begun = factory.make(incarnation, () -> gaveUp(number));
            try {
                begun.start();
            } catch (RuntimeException e) {
                begun.close();
                throw e;
            }
            return begun;
        }));
        tellOfTheDead();
    }

    private void gaveUp(int generation) {
        dead.add(generation);
        tellOfTheDead();
        if (generation != live) {
            LOG.error("generation {} is not derived any further here", Integer.toUnsignedString(generation));
        }
    }

    /** One that takes over is needed as much as the live one: behind the fences nobody else decides. */
    private void tellOfTheDead() {
        if ((dead.contains(live) || dead.contains(takingOver)) && told.compareAndSet(false, true)) {
            onGivingUp.run();
        }
    }

    private static Incarnation incarnation(Replay replay) {
        var starts = new HashMap<Integer, Incarnation.Start>();
        for (ShardStart shard : replay.getShardsList()) {
            starts.put(
                    shard.getShard(),
                    new Incarnation.Start(
                            shard.getFromOffset(),
                            shard.hasSnapshotOffset()
                                    ? OptionalLong.of(shard.getSnapshotOffset())
                                    : OptionalLong.empty(),
                            shard.getStructuredOffset(),
                            shard.getSinceMs()));
        }
        return new Incarnation(replay.getGeneration(), starts);
    }

    /** Whether the live generation handles every partition of this instance. */
    public boolean isServing() {
        NormalizerStreams serving = running.get(live);
        return serving != null && serving.isRunning();
    }

    /** State of the live generation, in Kafka's words. */
    public String state() {
        NormalizerStreams serving = running.get(live);
        return serving == null ? "NOT_STARTED" : serving.state();
    }

    @Override
    public void close() {
        closed = true;
        log.wakeup();
        synchronized (this) {
            // Side by side: each may take its full time, and the process has one for all.
            List<Thread> closing = running.values().stream()
                    .map(generation -> new Thread(generation::close, "generation-close"))
                    .toList();
            closing.forEach(Thread::start);
            closing.forEach(RunningGenerations::join);
            running.clear();
        }
        join(follower);
        log.close();
        retired.close();
    }

    private static void join(Thread thread) {
        try {
            thread.join(CLOSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
