package io.sallyport.fanout.kafka;

import io.sallyport.fanout.core.Freshness;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Reads tails to their ends, but not for everybody who asks within a moment: that would let one caller stop the rest. */
public final class TailFreshness implements Freshness {
    private static final long MOMENT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final List<TopicTail> tails;
    private final Duration timeout;
    private final AtomicLong lastNs = new AtomicLong(System.nanoTime() - MOMENT_NS);

    public TailFreshness(List<TopicTail> tails, Duration timeout) {
        this.tails = List.copyOf(tails);
        this.timeout = timeout;
    }

    @Override
    public boolean catchUp() {
        long nowNs = System.nanoTime();
        long before = lastNs.get();
        if (nowNs - before < MOMENT_NS || !lastNs.compareAndSet(before, nowNs)) {
            return false;
        }
        return catchUpNow();
    }

    @Override
    public boolean catchUpNow() {
        boolean all = true;
        for (TopicTail tail : tails) {
            all &= tail.catchUp(timeout);
        }
        return all;
    }
}
