package io.sallyport.normalizer.streams;

import java.util.HashMap;
import java.util.Map;

/**
 * When the state of each shard is copied. One shard after the other, with a commit between them: the copies of all shards of a
 * thread would stand in one transaction, which must end within its timeout, and whose readers wait for all of them. What was
 * tried is remembered beside what was done: a shard whose copy was not committed goes on, and does not try again at once, which
 * would stop it for ever. This is kept outside of the tasks, since a transaction that is aborted takes back what they stored.
 *
 * <p>Thread-safe. Times are of this machine's wall clock, in ms; one that was set back delays nothing.
 */
final class SnapshotTurns {
    /** Of the interval, until a copy is tried again that was not committed. */
    private static final int RETRIES_IN_INTERVAL = 10;

    private final long everyMs;
    private final long apartMs;
    private final Map<Integer, Long> triedMs = new HashMap<>();
    private long freeMs;

    /**
     * @param everyMs how often each shard is copied
     * @param apartMs least time between the end of a copy and the next one: a commit lies in it
     */
    SnapshotTurns(long everyMs, long apartMs) {
        this.everyMs = everyMs;
        this.apartMs = apartMs;
    }

    /**
     * The earliest time at which a shard may be copied.
     *
     * @param copiedMs when it was copied last, by what is committed; 0 = never
     */
    synchronized long next(int shard, long copiedMs, long nowMs) {
        long tried = triedMs.getOrDefault(shard, 0L);
        long dueMs = Math.max(
                copiedMs == 0 || copiedMs > nowMs ? nowMs : copiedMs + everyMs,
                tried == 0 || tried > nowMs ? nowMs : tried + everyMs / RETRIES_IN_INTERVAL);
        return freeMs - nowMs > everyMs ? dueMs : Math.max(dueMs, freeMs);
    }

    /** Whether it is the shard's turn now; it is nobody else's then. */
    synchronized boolean take(int shard, long copiedMs, long nowMs) {
        if (next(shard, copiedMs, nowMs) > nowMs) {
            return false;
        }
        triedMs.put(shard, nowMs);
        freeMs = nowMs + apartMs;
        return true;
    }

    /** @param tookMs how long the copy took; at least as much is left to what else the thread has to do */
    synchronized void done(long nowMs, long tookMs) {
        freeMs = nowMs + tookMs + Math.max(apartMs, tookMs);
    }
}
