package io.sallyport.fanout.core;

import java.time.Duration;

/**
 * The limits of publishing (semantics, section 6).
 *
 * @param maxTargets most targets of a message whose request names no bound
 * @param maxPayloadBytes largest payload: a frame less what surrounds it
 * @param jitterPerTargetUs window of deliveries per target
 * @param maxJitterMs widest window
 * @param previewTtlMs how long a preview's token holds
 */
public record FanoutLimits(
        int maxTargets, int maxPayloadBytes, long jitterPerTargetUs, long maxJitterMs, long previewTtlMs) {
    /** Room that a MESSAGE frame keeps for everything but the payload. */
    public static final int FRAME_RESERVE_BYTES = 64 << 10;
    /** Sensors of one plan chunk, at most. */
    public static final int CHUNK_SENSORS = 1_000;
    /** Longest selector. */
    public static final int MAX_SELECTOR_BYTES = 4_096;
    /** Longest coalesce_key, in bytes. */
    public static final int MAX_COALESCE_KEY_BYTES = 256;

    public static final FanoutLimits DEFAULTS = new FanoutLimits(
            1_000,
            (1 << 20) - FRAME_RESERVE_BYTES,
            1_000,
            Duration.ofSeconds(60).toMillis(),
            Duration.ofMinutes(10).toMillis());

    public FanoutLimits {
        if (maxTargets < 1 || maxPayloadBytes < 1 || jitterPerTargetUs < 0 || maxJitterMs < 0 || previewTtlMs < 1) {
            throw new IllegalArgumentException("fan-out limits are out of range");
        }
    }
}
