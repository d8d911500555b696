package io.sallyport.session.core;

/**
 * All that a rate has granted since some beginning: the rate's integral over time, whatever the rate was meanwhile. What
 * is owed against it is an amount, and a change of the rate changes how long the rest of it takes, for everybody who owes
 * and without a look at any of them. Immutable, and made anew only when the rate changes.
 *
 * @param atNanos monotonic; until when it is added up
 * @param whole granted until then
 * @param fraction the rest of it, below 1: years at a high rate must not swallow the small steps of a low one
 * @param perSecond granted since then; more than 0
 */
record Granted(long atNanos, long whole, double fraction, double perSecond) {
    private static final double NANOS_PER_SECOND = 1e9;

    static Granted from(long nowNanos, double perSecond) {
        return new Granted(nowNanos, 0, 0, perSecond);
    }

    /** The same with another rate from now on. */
    Granted at(double newPerSecond, long nowNanos) {
        double since = since(nowNanos);
        long steps = (long) since;
        return new Granted(Math.max(atNanos, nowNanos), whole + steps, since - steps, newPerSecond);
    }

    /** What has been granted above {@link #whole} by now. Threads' clocks may be a little apart. */
    private double since(long nowNanos) {
        return fraction + Math.max(0, nowNanos - atNanos) * perSecond / NANOS_PER_SECOND;
    }

    /** What was granted by now and {@code more}, less than 1 rounded away. */
    long total(double more, long nowNanos) {
        return whole + (long) Math.floor(since(nowNanos) + more);
    }

    /** How much is missing until {@code amount} is granted; less than 0 if more was. */
    double missing(long amount, long nowNanos) {
        return (amount - whole) - since(nowNanos);
    }

    /** How long that takes at the rate of now. */
    long nanosFor(double amount) {
        return (long) (amount * NANOS_PER_SECOND / perSecond);
    }
}
