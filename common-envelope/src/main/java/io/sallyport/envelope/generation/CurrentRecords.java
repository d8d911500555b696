package io.sallyport.envelope.generation;

import io.sallyport.proto.log.v1.Origin;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Tells which records of one shard are current, so that of each identity one remains (semantics, section 12). A generation
 * writes beside the one that is live until it has taken the shard over; then every record of an older one whose origin lies
 * at or behind its first offset is void, whenever it was written.
 *
 * <p>A reader starts with the takeovers of the topic `generations`, and adds each one that it meets in `structured`. What was
 * {@link Standing#PENDING} before is read again then, from the record's {@code structured_offset} on. Not thread-safe.
 */
public final class CurrentRecords {
    private static final long FIRST_GENERATION = 0;

    private final SortedMap<Long, ShardTakeover> takeovers = new TreeMap<>();

    /** What a record is worth now. Only a takeover changes it. */
    public enum Standing {
        CURRENT,
        /** A newer generation has replaced it, for good. */
        VOID,
        /** Its generation has not taken over, and perhaps never will. */
        PENDING
    }

    public CurrentRecords() {}

    /** @param known takeovers of this shard */
    public CurrentRecords(Collection<ShardTakeover> known) {
        known.forEach(this::add);
    }

    /**
     * Takes a takeover into account.
     *
     * @return whether it is new; false where it was known already
     */
    public boolean add(ShardTakeover takeover) {
        return takeovers.putIfAbsent(takeover.generation(), takeover) == null;
    }

    /** Takeovers so far, by generation. */
    public Collection<ShardTakeover> takeovers() {
        return takeovers.values();
    }

    public Standing of(Origin origin) {
        return of(Integer.toUnsignedLong(origin.getGeneration()), origin.getRawOffset());
    }

    /**
     * @param generation u32
     * @param rawOffset of the raw record that it came from
     */
    public Standing of(long generation, long rawOffset) {
        for (ShardTakeover newer : takeovers.tailMap(generation + 1).values()) {
            if (rawOffset >= newer.fromOffset()) {
                return Standing.VOID;
            }
        }
        if (generation == FIRST_GENERATION) {
            return Standing.CURRENT;
        }
        ShardTakeover own = takeovers.get(generation);
        if (own == null) {
            return Standing.PENDING;
        }
        // Below, it derived what it was not complete for.
        return rawOffset >= own.fromOffset() ? Standing.CURRENT : Standing.VOID;
    }
}
