package io.sallyport.normalizer.streams;

import java.util.function.BiConsumer;

/** Where the dedupe state of a shard can be had that an earlier generation left. */
@FunctionalInterface
public interface SnapshotSource {
    /**
     * Gives every entry of a snapshot. Blocks.
     *
     * @param offset of its first chunk
     * @throws IllegalStateException where it is not there, or not complete
     */
    void entries(int shard, long offset, BiConsumer<byte[], byte[]> each);
}
