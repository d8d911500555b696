package io.sallyport.envelope.generation;

import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Takeover;

/**
 * A generation of the normalizer that has taken a shard over (semantics, section 12).
 *
 * @param generation u32
 * @param fromOffset first raw offset of which the records of older generations are void
 * @param toOffset where its fence stands in `raw`: the first offset that it was the first to decide
 */
public record ShardTakeover(long generation, long fromOffset, long toOffset) {
    public ShardTakeover {
        if (generation < 1 || generation > 0xffff_ffffL || fromOffset < 0 || toOffset < fromOffset) {
            throw new IllegalArgumentException(
                    "generation " + generation + " cannot take over [" + fromOffset + ", " + toOffset + ")");
        }
    }

    /**
     * As a record of `structured` says it. A generation that lacks raw records replaces nothing before its fence.
     *
     * @throws IllegalArgumentException where the record's numbers cannot be
     */
    public static ShardTakeover of(GenerationRecord record) {
        return new ShardTakeover(
                Integer.toUnsignedLong(record.getOrigin().getGeneration()),
                record.getComplete() ? record.getFromOffset() : record.getToOffset(),
                record.getToOffset());
    }

    /**
     * As the topic `generations` says it.
     *
     * @throws IllegalArgumentException where the record's numbers cannot be
     */
    public static ShardTakeover of(Takeover record) {
        return new ShardTakeover(
                Integer.toUnsignedLong(record.getGeneration()), record.getFromOffset(), record.getToOffset());
    }
}
