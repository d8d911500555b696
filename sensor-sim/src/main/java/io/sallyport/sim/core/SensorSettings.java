package io.sallyport.sim.core;

import io.sallyport.envelope.link.BatchHeader;

/**
 * How one sensor behaves where the sensor link leaves a choice, and its timers.
 *
 * @param codec codec number of each batch
 * @param prioritySplit sends ProcessStart and the network types in batches of their own before the rest
 * @param maxSpoolEvents most numbers between the watermark and the newest event
 * @param maxSpoolBytes most payload bytes in the spool
 * @param whenFull what a full spool does with the next event
 * @param refuseShare share of messages that are refused with a NACK, 0 … 1
 * @param backoffMinMs shortest delay before a reconnect
 * @param backoffMaxMs longest delay before a reconnect
 * @param resendAfterMs an event that stays unacknowledged that long is sent again
 * @param startTimeoutMs longest wait for ACCEPT or REJECT
 * @param statsIntervalMs between two STATS frames; the contract asks for 10 s or more
 */
public record SensorSettings(
        int codec,
        boolean prioritySplit,
        int maxSpoolEvents,
        long maxSpoolBytes,
        WhenFull whenFull,
        double refuseShare,
        int backoffMinMs,
        int backoffMaxMs,
        int resendAfterMs,
        int startTimeoutMs,
        int statsIntervalMs) {

    /** What a full spool does with the next event. */
    public enum WhenFull {
        /** It takes none: {@link SensorCore#room()} is 0, and the producer waits. */
        WAIT,
        /** It gives up the oldest, with SKIP reason 1. */
        EVICT_OLDEST
    }

    /** The timers of the sensor link; a spool of 2,048 events or 64 MiB that makes its producer wait. */
    public static final SensorSettings DEFAULTS = new SensorSettings(
            BatchHeader.CODEC_NONE, false, 2_048, 64L << 20, WhenFull.WAIT, 0, 1_000, 300_000, 30_000, 15_000, 15_000);

    public SensorSettings {
        if (maxSpoolEvents < 1
                || maxSpoolEvents > 1 << 24
                || maxSpoolBytes < 1
                || refuseShare < 0
                || refuseShare > 1
                || backoffMinMs < 1
                || backoffMaxMs < backoffMinMs
                || resendAfterMs < 1
                || startTimeoutMs < 1
                || statsIntervalMs < 10_000) {
            throw new IllegalArgumentException("sensor settings out of range");
        }
    }

    public SensorSettings withCodec(int newCodec) {
        return new SensorSettings(
                newCodec,
                prioritySplit,
                maxSpoolEvents,
                maxSpoolBytes,
                whenFull,
                refuseShare,
                backoffMinMs,
                backoffMaxMs,
                resendAfterMs,
                startTimeoutMs,
                statsIntervalMs);
    }

    public SensorSettings withPrioritySplit(boolean split) {
        return new SensorSettings(
                codec,
                split,
                maxSpoolEvents,
                maxSpoolBytes,
                whenFull,
                refuseShare,
                backoffMinMs,
                backoffMaxMs,
                resendAfterMs,
                startTimeoutMs,
                statsIntervalMs);
    }

    public SensorSettings withSpool(int events, long bytes, WhenFull policy) {
        return new SensorSettings(
                codec,
                prioritySplit,
                events,
                bytes,
                policy,
                refuseShare,
                backoffMinMs,
                backoffMaxMs,
                resendAfterMs,
                startTimeoutMs,
                statsIntervalMs);
    }

    public SensorSettings withRefuseShare(double share) {
        return new SensorSettings(
                codec,
                prioritySplit,
                maxSpoolEvents,
                maxSpoolBytes,
                whenFull,
                share,
                backoffMinMs,
                backoffMaxMs,
                resendAfterMs,
                startTimeoutMs,
                statsIntervalMs);
    }

    public SensorSettings withBackoff(int minMs, int maxMs) {
        return new SensorSettings(
                codec,
                prioritySplit,
                maxSpoolEvents,
                maxSpoolBytes,
                whenFull,
                refuseShare,
                minMs,
                maxMs,
                resendAfterMs,
                startTimeoutMs,
                statsIntervalMs);
    }
}
