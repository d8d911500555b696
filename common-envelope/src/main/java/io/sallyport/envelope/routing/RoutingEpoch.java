package io.sallyport.envelope.routing;

import java.util.List;

/**
 * One version of the placement of slots on shards.
 *
 * @param id dense from 0
 * @param effectiveFromUs microseconds since 1970 from which records route by it
 * @param ranges cover every slot once, in slot order
 */
public record RoutingEpoch(long id, long effectiveFromUs, List<Range> ranges) {

    /** Slots {@code fromSlot} … {@code toSlot}, both inclusive, live on {@code shard}. */
    public record Range(int fromSlot, int toSlot, int shard) {}

    public RoutingEpoch {
        ranges = List.copyOf(ranges);
        int next = 0;
        for (Range range : ranges) {
            if (range.fromSlot() != next || range.toSlot() < range.fromSlot() || range.shard() < 0) {
                throw new IllegalArgumentException(
                        "slot ranges must cover 0 to 4095 in order, without hole or overlap");
            }
            next = range.toSlot() + 1;
        }
        if (next != Slots.COUNT) {
            throw new IllegalArgumentException("slot ranges must cover 0 to 4095 in order, without hole or overlap");
        }
    }

    /** {@code shards} ranges of equal width (the first ones one slot wider where it does not divide). */
    public static RoutingEpoch even(long id, long effectiveFromUs, int shards) {
        if (shards < 1 || shards > Slots.COUNT) {
            throw new IllegalArgumentException("shards must be 1 to 4096");
        }
        var ranges = new java.util.ArrayList<Range>(shards);
        for (int shard = 0; shard < shards; shard++) {
            ranges.add(new Range(Slots.COUNT * shard / shards, Slots.COUNT * (shard + 1) / shards - 1, shard));
        }
        return new RoutingEpoch(id, effectiveFromUs, ranges);
    }

    /** The shard, which is also the partition of `raw` and `structured`, that {@code slot} lives on. */
    public int shardOf(int slot) {
        int low = 0;
        int high = ranges.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (ranges.get(middle).fromSlot() <= slot) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return ranges.get(low).shard();
    }
}
