package io.sallyport.export.checkpoint;

import io.sallyport.envelope.proof.TreeKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;

/**
 * What is left of one shard of `structured` behind the place where its log begins now, generation by generation. It is read on
 * from there only as far as is needed: until each generation was met that may have lost records, or until records are too young
 * for retention. Not thread-safe.
 */
public final class ShardCut {
    private final long beginning;
    private final Map<Integer, Long> firstPos = new HashMap<>();
    private long next;
    /** Append time of the first record; records before it are no younger. */
    private long firstMs = -1;
    /** Append time of the last record that was read; at the end of the log, the time at which it was reached. */
    private long readMs;

    /** @param beginning first offset of the shard */
    public ShardCut(long beginning) {
        this.beginning = beginning;
        this.next = beginning;
    }

    public long beginning() {
        return beginning;
    }

    /** Offset to read on from. */
    public long next() {
        return next;
    }

    /** The next record. */
    public void record(long offset, long appendMs, int generation, long pos) {
        firstPos.putIfAbsent(generation, pos);
        passed(offset, appendMs);
    }

    /** The next record, which is none that has a generation. */
    public void passed(long offset, long appendMs) {
        next = offset + 1;
        readMs = appendMs;
        if (firstMs < 0) {
            firstMs = appendMs;
        }
    }

    /** There are no more records now. */
    public void ended(long nowMs) {
        readMs = nowMs;
    }

    /**
     * Whether more has to be read.
     *
     * @param trees of the shard, without those of which everything is known to be gone
     * @param sinceMs what is older may be gone
     */
    public boolean isUnread(Collection<LogTree> trees, LogTrees ages, long sinceMs) {
        return readMs < sinceMs
                && trees.stream()
                        .filter(tree -> ages.age(tree.key()).firstMs() < sinceMs)
                        .anyMatch(tree -> !firstPos.containsKey(tree.key().generation()));
    }

    /**
     * What can be stated. Only what is older than {@code sinceMs} may be gone: of anything else that is missing nothing is
     * stated, and a verifier will say so.
     *
     * @param trees as for {@link #isUnread}
     * @param oldEnough asked of a tree and a pos where the log itself does not tell: whether everything below was appended before
     *     {@code sinceMs}
     */
    public List<Trim> trims(
            Collection<LogTree> trees, LogTrees ages, long sinceMs, BiPredicate<TreeKey, Long> oldEnough) {
        var trims = new ArrayList<Trim>();
        for (LogTree tree : trees) {
            long lastMs = ages.age(tree.key()).lastMs();
            if (firstPos.containsKey(tree.key().generation())) {
                long pos = Objects.requireNonNull(firstPos.get(tree.key().generation()));
                if (pos > 0 && ((firstMs >= 0 && firstMs < sinceMs) || oldEnough.test(tree.key(), pos))) {
                    trims.add(new Trim(tree.key(), pos));
                }
            } else if (readMs >= sinceMs && lastMs > 0 && lastMs < sinceMs) {
                trims.add(new Trim(tree.key(), tree.nextPos()));
            }
        }
        return trims;
    }
}
