package io.sallyport.session.core;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket that is charged after the fact and may go into debt: what was received cannot be handed back. It is kept
 * as the moment at which everything charged so far is paid for. Thread-safe, without locks.
 */
final class RateBucket {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final AtomicLong paidAtNanos = new AtomicLong(Long.MIN_VALUE / 2);

    /**
     * @param perSecond the rate of now
     * @param burstNanos how long unused time may be saved up
     */
    void charge(long amount, double perSecond, long burstNanos, long nowNanos) {
        long costNanos = (long) (amount * NANOS_PER_SECOND / perSecond);
        paidAtNanos.updateAndGet(paidAt -> Math.max(paidAt, nowNanos - burstNanos) + costNanos);
    }

    /** How long until all is paid for; 0 or less = it is. */
    long debtNanos(long nowNanos) {
        return paidAtNanos.get() - nowNanos;
    }
}
