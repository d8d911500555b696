package io.sallyport.session.core;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket that is charged after the fact and may go into debt: what was received cannot be handed back. It is kept
 * as the total that has to be {@link Granted} before everything charged is paid for, so debts are amounts and never times.
 * Thread-safe, without locks.
 */
final class RateBucket {
    private final AtomicLong paidAt = new AtomicLong(Long.MIN_VALUE / 4);

    /**
     * @param saved what may be saved up
     * @param owed the most that may be owed
     */
    void charge(long amount, double saved, double owed, Granted granted, long nowNanos) {
        long least = granted.total(-saved, nowNanos);
        long most = granted.total(owed, nowNanos);
        long before;
        long after;
        do {
            before = paidAt.get();
            // What was owed already may be above a ceiling that has come down since: it is not more for it.
            after = Math.min(Math.max(before, least) + amount, Math.max(before, most));
        } while (!paidAt.compareAndSet(before, after));
    }

    /** How much is owed; 0 or less = nothing, and so much is saved up. */
    double debt(Granted granted, long nowNanos) {
        return granted.missing(paidAt.get(), nowNanos);
    }
}
