package io.sallyport.normalizer.streams;

import java.util.function.BiConsumer;

/** What a generation must know of the others where it begins a shard. Both calls block. */
public interface Predecessors {
    /**
     * Gives every entry of a snapshot of the dedupe state.
     *
     * @param offset of its first chunk
     * @throws IllegalStateException where it is not there, or not complete
     */
    void entries(int shard, long offset, BiConsumer<byte[], byte[]> each);

    /**
     * Whether a generation is live or on its way, as it stands now and not as this instance last heard. One that has ended has
     * lost its group and its stores: to somebody who was paused meanwhile, every shard looks like one that it never began.
     */
    boolean isWanted(int generation);
}
