package io.sallyport.export.kafka;

import io.sallyport.export.core.Manifest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A request to one worker: everything that is committed in the log of its shards when it begins shall be in the files when
 * it ends. It waits a little for the segments of the last rows; they are closed after a second at most.
 */
public final class ExportNow {
    private static final long SEGMENT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final CompletableFuture<Result> result = new CompletableFuture<>();
    private final long endNanos;
    private final Map<TopicPartition, Long> ends = new HashMap<>();
    private final Set<Integer> open = new HashSet<>();
    private boolean begun;
    private long begunNanos;
    private int shards;
    private int versions;
    private long rows;
    private long waiting;

    /**
     * What came of it.
     *
     * @param shards that this worker looked at
     * @param versions manifests that were written
     * @param rows in them
     * @param unfinished shards that failed all the time, or took too long
     * @param waiting rows in the log of the others that no segment covers yet
     */
    public record Result(int shards, int versions, long rows, int unfinished, long waiting) {
        /** Of two workers together. */
        public Result plus(Result other) {
            return new Result(
                    shards + other.shards,
                    versions + other.versions,
                    rows + other.rows,
                    unfinished + other.unfinished,
                    waiting + other.waiting);
        }
    }

    /** @param timeoutNanos after it what is not done is left, and counted */
    public ExportNow(long timeoutNanos) {
        endNanos = System.nanoTime() + timeoutNanos;
    }

    public CompletableFuture<Result> result() {
        return result;
    }

    void begin(Consumer<byte[], byte[]> consumer, Set<Integer> assigned) {
        // Before the group has spoken, the worker does not know which shards are its own.
        if (begun || consumer.groupMetadata().generationId() < 0) {
            return;
        }
        begun = true;
        begunNanos = System.nanoTime();
        ends.putAll(consumer.endOffsets(consumer.assignment()));
        open.addAll(assigned);
        shards = open.size();
    }

    /** Whether a shard has read what it shall export. */
    boolean isReady(ReadShard shard, Consumer<byte[], byte[]> consumer) {
        return begun
                && open.contains(shard.export().shard())
                && reached(consumer, shard.structured())
                && reached(consumer, shard.proof())
                && (shard.export().uncoveredRows() == 0 || System.nanoTime() - begunNanos > SEGMENT_NANOS);
    }

    private boolean reached(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
        return consumer.position(partition) >= ends.getOrDefault(partition, Long.MAX_VALUE);
    }

    void exported(Manifest manifest) {
        versions++;
        rows += manifest.rows();
    }

    /** There is nothing more to export of a shard. */
    void passed(ReadShard shard, Consumer<byte[], byte[]> consumer) {
        if (isReady(shard, consumer)) {
            passed(shard.export().shard(), shard.export().uncoveredRows());
        }
    }

    /** @param uncovered rows of the shard that wait for their segment */
    void passed(int shard, int uncovered) {
        if (open.remove(shard)) {
            waiting += uncovered;
        }
    }

    /**
     * A shard that fails is waited for: it is tried again, and mostly works then.
     *
     * @param assigned shards of this worker; those that it gave away meanwhile stay unfinished
     */
    boolean isDone(Set<Integer> assigned, long nowNanos) {
        boolean waits = !begun || open.stream().anyMatch(assigned::contains);
        if (waits && nowNanos - endNanos < 0) {
            return false;
        }
        end();
        return true;
    }

    void end() {
        result.complete(new Result(shards, versions, rows, open.size(), waiting));
    }
}
