package io.sallyport.session.core;

/**
 * How near the raw log is to throwing away what was not normalized yet, and what follows (semantics, section 3): above
 * half of the retention sensors are slowed, above four fifths they keep what they have. Fractions are of the retention
 * by age or by bytes, whichever is nearer; 1 = lost.
 */
public final class RawRetention {
    public static final double ALERT = 0.5;
    public static final double HOLD = 0.8;
    /** A hold ends here and not at 0.8, so that it does not flap. */
    public static final double RELEASE = 0.75;
    /** An alert that was raised may be raised again once the fraction fell to this. */
    public static final double CALM = 0.45;

    static final int MIN_THROTTLE_MS = 100;
    static final int MAX_THROTTLE_MS = 10_000;

    private RawRetention() {}

    /**
     * @param waitingBytes of what is not normalized yet
     * @param retentionBytes of the partition; negative = not bounded by bytes
     */
    public static double usedByBytes(long waitingBytes, long retentionBytes) {
        if (waitingBytes <= 0 || retentionBytes < 0) {
            return 0;
        }
        return retentionBytes == 0 ? 1 : Math.min(1, (double) waitingBytes / retentionBytes);
    }

    /**
     * What a fraction that was seen some time ago may have become. The normalizer is taken to have stood still since,
     * and a view that is too old to tell anything about bytes counts as half at least: it slows, and it alerts.
     *
     * @param sinceMs since it was seen
     * @param retentionMs of the topic; negative = not bounded by age
     * @param staleAfterMs age of a view that can no longer be relied on
     */
    public static double usedNow(double usedThen, long sinceMs, long retentionMs, long staleAfterMs) {
        if (sinceMs <= staleAfterMs) {
            return usedThen;
        }
        double aged = usedThen + (retentionMs > 0 ? (double) sinceMs / retentionMs : 0);
        return Math.min(1, Math.max(ALERT, aged));
    }

    /** What the shard asks for now. The pause grows evenly from one end of the slowed range to the other. */
    public static RawPressure pressure(RawPressure before, double used) {
        if (used >= HOLD || (before.holds() && used >= RELEASE)) {
            return new RawPressure(MAX_THROTTLE_MS, true);
        }
        if (used < ALERT) {
            return RawPressure.NONE;
        }
        double part = (used - ALERT) / (HOLD - ALERT);
        return new RawPressure((int) (MIN_THROTTLE_MS + part * (MAX_THROTTLE_MS - MIN_THROTTLE_MS)), false);
    }
}
