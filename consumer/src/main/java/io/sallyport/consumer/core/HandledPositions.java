package io.sallyport.consumer.core;

import io.sallyport.consumer.Position;
import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What of one shard was handled: the highest offset of each generation. That is enough to know any record that comes again,
 * since offsets of a generation only grow. A handler that must not act twice keeps {@link #encode} in the transaction of its
 * effects, and asks {@link #isNew} first. A mutable value of at most {@link #MAX_GENERATIONS} numbers; not thread-safe.
 */
public final class HandledPositions {
    /** Of the oldest generations beyond it, everything counts as handled. */
    public static final int MAX_GENERATIONS = 32;

    private final NavigableMap<Long, Long> highest = new TreeMap<>();

    /** Whether the record was not handled yet. */
    public boolean isNew(Position at) {
        return isNew(at.generation(), at.offset());
    }

    boolean isNew(long generation, long offset) {
        Long seen = highest.get(generation);
        if (seen == null) {
            return highest.size() < MAX_GENERATIONS || generation > highest.firstKey();
        }
        return offset > seen;
    }

    /** Takes the record, and whatever of its generation stands before it, for handled. */
    public void add(Position at) {
        add(at.generation(), at.offset());
    }

    void add(long generation, long offset) {
        highest.merge(generation, offset, Math::max);
        if (highest.size() > MAX_GENERATIONS) {
            highest.pollFirstEntry();
        }
    }

    /** Pairs of i64 generation and i64 offset, by generation. */
    public byte[] encode() {
        var out = ByteBuffer.allocate(2 * Long.BYTES * highest.size());
        highest.forEach((generation, offset) -> out.putLong(generation).putLong(offset));
        return out.array();
    }

    /** @throws IllegalArgumentException where the bytes are not those of {@link #encode} */
    public static HandledPositions decode(byte[] bytes) {
        if (bytes.length % (2 * Long.BYTES) != 0 || bytes.length > 2 * Long.BYTES * MAX_GENERATIONS) {
            throw new IllegalArgumentException("not positions of a shard");
        }
        var positions = new HandledPositions();
        for (var in = ByteBuffer.wrap(bytes); in.hasRemaining(); ) {
            positions.add(in.getLong(), in.getLong());
        }
        return positions;
    }

    NavigableMap<Long, Long> byGeneration() {
        return highest;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HandledPositions that && that.highest.equals(highest);
    }

    @Override
    public int hashCode() {
        return highest.hashCode();
    }

    @Override
    public String toString() {
        return highest.toString();
    }
}
