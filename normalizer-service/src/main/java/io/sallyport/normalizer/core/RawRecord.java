package io.sallyport.normalizer.core;

import org.jspecify.annotations.Nullable;

/**
 * One record of `raw`, as it was read.
 *
 * @param appendMs the broker's append time; the only clock of a decision
 * @param kind bytes of the header `kind`, where there is one
 * @param stamp bytes of the header `stamp`, where there is one
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; the bytes belong to the consumer's record
public record RawRecord(
        long appendMs,
        byte @Nullable [] key,
        byte @Nullable [] kind,
        byte @Nullable [] stamp,
        byte @Nullable [] value) {}
