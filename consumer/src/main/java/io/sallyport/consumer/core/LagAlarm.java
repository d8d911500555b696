package io.sallyport.consumer.core;

/**
 * Whether the consumer is so far behind that somebody has to know: once when the limit is passed, and again only after it
 * was well below it.
 *
 * @param limit fraction of the retention, 0 … 1
 */
public record LagAlarm(double limit, boolean raised) {
    /** Of a consumer that has not looked yet. */
    public static LagAlarm below(double limit) {
        return new LagAlarm(limit, false);
    }

    public LagAlarm seen(double used) {
        if (used >= limit) {
            return new LagAlarm(limit, true);
        }
        return used <= limit / 2 ? new LagAlarm(limit, false) : this;
    }

    /** Whether this alarm rings and the one before did not. */
    public boolean ringsAfter(LagAlarm before) {
        return raised && !before.raised;
    }
}
