package io.sallyport.normalizer.replay;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.generation.GenerationLog;
import io.sallyport.normalizer.generation.SnapshotReader;
import io.sallyport.normalizer.streams.Incarnation;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.Replay.Phase;
import io.sallyport.proto.log.v1.ShardStart;
import io.sallyport.proto.log.v1.Takeover;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.OffsetSpec;

/**
 * Takes a replay through its steps: plan, catching up, fences, takeover. Every step is found again from the log, so that it
 * does not matter who does it, or how often: where one process was stopped, the next one goes on. The normalizers do the
 * work; this only watches and decides. Belongs to one thread.
 */
public final class Replay implements AutoCloseable {
    /** Caught up is who has everything that had been appended so long ago. */
    private static final long BEHIND_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long LOOK_MS = 250;

    private final GenerationLog log;
    private final Cell cell;
    private final Beginnings beginnings;
    private final Fences fences;
    private final Consumer<Progress> progress;

    /**
     * How far a replay is.
     *
     * @param generation u32
     * @param remaining raw records that are still to be derived again, roughly; after that, shards that are waited for
     */
    public record Progress(Step step, long generation, long remaining) {}

    /** What is being done. */
    public enum Step {
        CATCHING_UP,
        TAKING_OVER,
        /** The new generation decides; the one before comes to its end. */
        DRAINING,
        DONE
    }

    /** Raw offsets at a moment, by shard. */
    private record Ends(long nanos, Map<Integer, Long> offsets) {}

    /** @param progress told of each look */
    public Replay(String bootstrapServers, Consumer<Progress> progress) {
        this.log = new GenerationLog(bootstrapServers);
        this.cell = new Cell(bootstrapServers);
        this.beginnings = new Beginnings(cell, new SnapshotReader(bootstrapServers));
        this.fences = new Fences(bootstrapServers);
        this.progress = progress;
    }

    /** What stands in the log. */
    public Generations state() {
        return log.current();
    }

    /**
     * Begins a replay of what was decided at or after a time; the normalizers start on it within seconds.
     *
     * @return number of its generation
     * @throws ReplayRefusedException where it cannot be done
     */
    public int begin(Instant from) throws InterruptedException {
        Generations seen = log.current();
        if (seen.hasReplay()) {
            throw new ReplayRefusedException("a replay is on its way already: generation "
                    + Integer.toUnsignedString(seen.getReplay().getGeneration()) + " from "
                    + Instant.ofEpochMilli(seen.getReplay().getFromMs()) + "; resume it or abort it");
        }
        int generation = seen.getHighest() + 1;
        List<ShardStart> starts = beginnings.find(from, seen);
        var replay = io.sallyport.proto.log.v1.Replay.newBuilder()
                .setGeneration(generation)
                .setPhase(Phase.CATCHING_UP)
                .setFromMs(from.toEpochMilli())
                .addAllShards(starts);
        replace(seen, seen.toBuilder().setHighest(generation).setReplay(replay));
        // The number is ours alone only now.
        var offsets = new HashMap<Integer, Long>();
        starts.forEach(start -> offsets.put(start.getShard(), start.getFromOffset()));
        cell.begin(Incarnation.applicationId(generation), Topics.RAW, offsets);
        return generation;
    }

    /**
     * Takes the replay that is on its way to its end.
     *
     * @return whether it got there in time; otherwise it goes on, and may be resumed
     * @throws ReplayRefusedException where there is none, or it must be given up
     */
    public boolean finish(Duration atMost) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        Generations seen = withReplay();
        int generation = seen.getReplay().getGeneration();
        var ends = new ArrayDeque<Ends>();
        while (seen.getReplay().getPhase() == Phase.CATCHING_UP) {
            if (isCaughtUp(seen, ends)) {
                decideTakeover(seen);
            } else if (System.nanoTime() - deadline > 0) {
                return false;
            } else {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
            seen = log.current();
            if (isDone(seen, generation)) {
                return true;
            }
        }
        return takeOver(seen, deadline);
    }

    /** Somebody else may have brought it to an end. */
    private static boolean isDone(Generations seen, int generation) {
        if (seen.hasReplay() && seen.getReplay().getGeneration() == generation) {
            return false;
        }
        if (seen.getTakeoversList().stream().anyMatch(takeover -> takeover.getGeneration() == generation)) {
            return true;
        }
        throw new ReplayRefusedException("the replay was aborted");
    }

    private boolean isCaughtUp(Generations seen, ArrayDeque<Ends> ends) throws InterruptedException {
        io.sallyport.proto.log.v1.Replay replay = seen.getReplay();
        Map<Integer, Long> earliest = cell.offsets(Topics.RAW, OffsetSpec.earliest());
        Map<Integer, Long> committed = cell.committed(Incarnation.applicationId(replay.getGeneration()), Topics.RAW);
        ends.addLast(new Ends(System.nanoTime(), cell.offsets(Topics.RAW, OffsetSpec.latest())));
        long remaining = 0;
        for (ShardStart start : replay.getShardsList()) {
            long next = Math.max(start.getFromOffset(), committed.getOrDefault(start.getShard(), 0L));
            long first = earliest.getOrDefault(start.getShard(), 0L);
            if (first > next) {
                throw new ReplayRefusedException("retention took raw records of shard " + start.getShard()
                        + " before they were derived again (offsets " + next + " to " + (first - 1)
                        + "); abort this replay and begin one from a later time");
            }
            remaining += ends.getLast().offsets().getOrDefault(start.getShard(), 0L) - next;
        }
        progress.accept(
                new Progress(Step.CATCHING_UP, Integer.toUnsignedLong(replay.getGeneration()), Math.max(0, remaining)));
        while (ends.size() > 1 && secondOf(ends).nanos() <= System.nanoTime() - BEHIND_NANOS) {
            ends.removeFirst();
        }
        Ends before = ends.getFirst();
        return before.nanos() <= System.nanoTime() - BEHIND_NANOS
                && replay.getShardsList().stream()
                        .allMatch(start -> Math.max(start.getFromOffset(), committed.getOrDefault(start.getShard(), 0L))
                                >= before.offsets().getOrDefault(start.getShard(), 0L));
    }

    private static Ends secondOf(ArrayDeque<Ends> ends) {
        var all = ends.iterator();
        all.next();
        return all.next();
    }

    /** From here on there is no way back. Where another operator was sooner, the caller sees that. */
    private void decideTakeover(Generations seen) throws InterruptedException {
        Map<Integer, Long> ends = cell.offsets(Topics.RAW, OffsetSpec.latest());
        var replay = seen.getReplay().toBuilder().setPhase(Phase.TAKING_OVER).clearShards();
        for (ShardStart start : seen.getReplay().getShardsList()) {
            replay.addShards(start.toBuilder().setRawEnd(ends.getOrDefault(start.getShard(), 0L)));
        }
        log.replace(seen, seen.toBuilder().setReplay(replay).build());
    }

    private boolean takeOver(Generations taking, long deadline) throws InterruptedException {
        int generation = taking.getReplay().getGeneration();
        Map<Integer, Long> ends = taking.getReplay().getShardsList().stream()
                .collect(Collectors.toMap(ShardStart::getShard, ShardStart::getRawEnd));
        Fences.Answers answers = fences.answers(generation, fences.place(generation, ends));
        var takeovers = new ArrayList<Takeover>();
        while (true) {
            answers.look().stream().map(Replay::takeover).forEach(takeovers::add);
            progress.accept(new Progress(Step.TAKING_OVER, Integer.toUnsignedLong(generation), answers.open()));
            if (answers.open() == 0) {
                break;
            }
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        if (!drain(taking, takeovers, deadline)) {
            return false;
        }
        Generations next = taking.toBuilder()
                .setLive(generation)
                .clearReplay()
                .addAllTakeovers(takeovers)
                .build();
        if (!log.replace(taking, next) && !isDone(log.current(), generation)) {
            return false;
        }
        progress.accept(new Progress(Step.DONE, Integer.toUnsignedLong(generation), 0));
        return true;
    }

    /** Waits for the generation before: what is written next stops it. */
    private boolean drain(Generations taking, List<Takeover> takeovers, long deadline) throws InterruptedException {
        var drain = new Drain(takeovers, System.nanoTime());
        String older = Incarnation.applicationId(taking.getLive());
        while (true) {
            List<Integer> shards = drain.waitsFor(cell.committed(older, Topics.RAW), System.nanoTime());
            // Where another operator was sooner, the older one's group may be gone.
            if (shards.isEmpty() || log.current().getRevision() != taking.getRevision()) {
                return true;
            }
            progress.accept(new Progress(
                    Step.DRAINING, Integer.toUnsignedLong(taking.getReplay().getGeneration()), shards.size()));
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    /** A generation that lacks raw records replaces nothing before its fence. */
    private static Takeover takeover(GenerationRecord record) {
        return Takeover.newBuilder()
                .setGeneration(record.getOrigin().getGeneration())
                .setShard(record.getOrigin().getShard())
                .setFromOffset(record.getComplete() ? record.getFromOffset() : record.getToOffset())
                .setToOffset(record.getToOffset())
                .setIncomplete(!record.getComplete())
                .setSinceUs(record.getSinceUs())
                .build();
    }

    /**
     * Gives up the replay that is on its way. What it wrote is never current; its number is not used again.
     *
     * @throws ReplayRefusedException where there is none, or the takeover was decided
     */
    public void abort() {
        Generations seen = withReplay();
        if (seen.getReplay().getPhase() != Phase.CATCHING_UP) {
            throw new ReplayRefusedException("the takeover has been decided, and older generations may have stopped: it"
                    + " can only be resumed");
        }
        replace(seen, seen.toBuilder().clearReplay());
    }

    private Generations withReplay() {
        return Optional.of(log.current())
                .filter(Generations::hasReplay)
                .orElseThrow(() -> new ReplayRefusedException("no replay is on its way"));
    }

    private void replace(Generations seen, Generations.Builder next) {
        if (!log.replace(seen, next.build())) {
            throw new ReplayRefusedException("somebody else changed the generations at the same time; look again");
        }
    }

    @Override
    public void close() {
        log.close();
        cell.close();
        fences.close();
    }
}
