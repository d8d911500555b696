package io.sallyport.normalizer.core;

import io.sallyport.envelope.link.LinkLimits;

/**
 * What an operator may set of the rules in semantics, section 3.
 *
 * @param gapGraceMs how long a hole is left alone after it was made, last shrunk, or met by a new session
 * @param gapGraceMaxMs how long new sessions may put that off, counted from the last change of the hole
 * @param maxRanges most settled ranges above the watermark of one epoch; beyond, the lowest hole becomes final
 * @param declaredRanges most ranges per epoch that are remembered as settled without content
 * @param maxEventBytes largest payload that fits a record of `structured`
 * @param maxOriginalBytes largest `original` that fits a record of `quarantine`
 */
public record Limits(
        long gapGraceMs,
        long gapGraceMaxMs,
        int maxRanges,
        int declaredRanges,
        int maxEventBytes,
        int maxOriginalBytes) {

    /** Largest event block that is decompressed: four times what a gateway admits by default. */
    public static final int MAX_BLOCK_BYTES = 4 * LinkLimits.DEFAULTS.maxBatchBytes();
    /** Beyond this distance between event_ts and ingest_ts the sensor's clock is wrong. */
    public static final long MAX_CLOCK_SKEW_US = 10 * 60 * 1_000_000L;

    public Limits {
        if (gapGraceMs < 0
                || gapGraceMaxMs < gapGraceMs
                || maxRanges < 1
                || declaredRanges < 1
                || maxEventBytes < LinkLimits.DEFAULTS.maxEventBytes()
                || maxOriginalBytes < LinkLimits.DEFAULTS.maxFrameBytes()) {
            throw new IllegalArgumentException("normalizer limits are out of range");
        }
    }
}
