package io.sallyport.normalizer.core;

import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.topic.Topics;

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

    /** Key, fields other than the payload, and the record's own framing. */
    private static final int EVENT_OVERHEAD_BYTES = 4 << 10;
    /** Stamp, ranges, detail and framing of a quarantine record; the rest is left to the original bytes. */
    private static final int QUARANTINE_OVERHEAD_BYTES = 64 << 10;

    /** What a service decides by that was told nothing else. */
    public static final Limits DEFAULTS = ofRules(60_000, 3_600_000, 4_096, 1_024);

    /** With the bounds that follow from the topics. */
    public static Limits ofRules(long gapGraceMs, long gapGraceMaxMs, int maxRanges, int declaredRanges) {
        return new Limits(
                gapGraceMs,
                gapGraceMaxMs,
                maxRanges,
                declaredRanges,
                Topics.STRUCTURED.maxMessageBytes() - EVENT_OVERHEAD_BYTES,
                Topics.QUARANTINE.maxMessageBytes() - QUARANTINE_OVERHEAD_BYTES);
    }

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
