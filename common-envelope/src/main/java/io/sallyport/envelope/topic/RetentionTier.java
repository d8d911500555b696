package io.sallyport.envelope.topic;

import java.time.Duration;

/**
 * How long telemetry stays where. The topics' configuration, the capacity figures and the export's default come from here
 * and from nowhere else.
 */
public enum RetentionTier {
    /** `raw`: batches as received, for a replay after a bad normalizer. */
    RAW(Duration.ofHours(2)),
    /** The part of `structured` that live consumers read; all that stays on the brokers' own disks with tiered storage. */
    HOT(Duration.ofHours(24)),
    /** All of `structured`, for investigation and replay. */
    WARM(Duration.ofDays(7)),
    /** The exported files. */
    COLD(Duration.ofDays(90));

    private final Duration retention;

    RetentionTier(Duration retention) {
        this.retention = retention;
    }

    public Duration retention() {
        return retention;
    }
}
