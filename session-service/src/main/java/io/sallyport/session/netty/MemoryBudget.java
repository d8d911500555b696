package io.sallyport.session.netty;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes that were received and are not yet seen durable: of the node, of one customer or of one shard. Nobody is refused: a connection that finds the budget used
 * up stops reading its socket and is woken when there is room again, in the order they stopped.
 */
final class MemoryBudget {
    private final long maxBytes;
    private final long lowBytes;
    private final long frameBytes;
    private final AtomicLong used = new AtomicLong();
    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    /** @param frameBytes what one woken connection may bring in at once */
    MemoryBudget(long maxBytes, int frameBytes) {
        this.maxBytes = maxBytes;
        this.lowBytes = maxBytes - maxBytes / 4;
        this.frameBytes = frameBytes;
    }

    void charge(long bytes) {
        used.addAndGet(bytes);
    }

    boolean isFull() {
        return used.get() >= maxBytes;
    }

    long usedBytes() {
        return used.get();
    }

    void release(long bytes) {
        long now = used.addAndGet(-bytes);
        for (long room = lowBytes - now; room > 0; room -= frameBytes) {
            Runnable next = waiting.poll();
            if (next == null) {
                return;
            }
            next.run();
        }
    }

    /** Calls {@code wake} once, on any thread, when there is room; at once where there is room again already. */
    void await(Runnable wake) {
        waiting.add(wake);
        if (used.get() < lowBytes) {
            // The release that made the room may have come before the line above.
            release(0);
        }
    }
}
