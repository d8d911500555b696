package io.sallyport.normalizer.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Content hashes of one epoch, as far as an honest resend can reach: of the committed seqs above the watermark the
 * highest {@link #ABOVE}, and {@link #BELOW} of those at or below it. Counted are hashes, not seqs: a sensor's
 * unacknowledged events stay inside the window however wide the ranges are that it skipped between them. Whole chunks
 * are given up, so up to two chunks more are kept on either side.
 */
final class HashWindow {
    static final int ABOVE = 4_096;
    static final int BELOW = 1_024;

    private final long epoch;
    private final SensorStore store;
    /** Chunk index to number of hashes in it; none is empty. */
    private final TreeMap<Long, Integer> counts;

    private final Map<Long, HashChunk> loaded = new HashMap<>();
    private final Set<Long> changed = new HashSet<>();
    private final Set<Long> dropped = new HashSet<>();

    HashWindow(long epoch, SensorStore store, SortedMap<Long, Integer> counts) {
        this.epoch = epoch;
        this.store = store;
        this.counts = new TreeMap<>(counts);
    }

    SortedMap<Long, Integer> counts() {
        return counts;
    }

    OptionalLong get(long seq) {
        HashChunk chunk = chunk(HashChunk.indexOf(seq));
        return chunk == null ? OptionalLong.empty() : chunk.get(seq);
    }

    void put(long seq, long hash) {
        long index = HashChunk.indexOf(seq);
        HashChunk chunk = chunk(index);
        if (chunk == null) {
            chunk = new HashChunk();
            loaded.put(index, chunk);
        }
        chunk.put(seq, hash);
        counts.put(index, chunk.count());
        changed.add(index);
        dropped.remove(index);
    }

    /** Gives up what lies outside the window around {@code watermark}. */
    void retain(long watermark) {
        long boundary = HashChunk.indexOf(watermark);
        int below = 0;
        var outside = new ArrayList<Long>();
        for (var chunk : counts.headMap(boundary, true).descendingMap().entrySet()) {
            // The boundary's own chunk may hold up to a chunk of hashes above the watermark.
            if (below >= BELOW + HashChunk.SEQS) {
                outside.add(chunk.getKey());
            }
            below += chunk.getValue();
        }
        int above = 0;
        for (var chunk : counts.tailMap(boundary, false).descendingMap().entrySet()) {
            if (above >= ABOVE) {
                outside.add(chunk.getKey());
            }
            above += chunk.getValue();
        }
        outside.forEach(this::drop);
    }

    void dropAll() {
        new ArrayList<>(counts.keySet()).forEach(this::drop);
    }

    /** Writes what changed, each chunk once. */
    void flush() {
        for (long index : changed) {
            HashChunk chunk = loaded.get(index);
            if (chunk != null) {
                store.putChunk(epoch, index, chunk.encode());
            }
        }
        dropped.forEach(index -> store.deleteChunk(epoch, index));
        changed.clear();
        dropped.clear();
    }

    private @Nullable HashChunk chunk(long index) {
        HashChunk chunk = loaded.get(index);
        if (chunk == null && counts.containsKey(index)) {
            byte[] bytes = store.chunk(epoch, index);
            if (bytes == null) {
                throw new IllegalStateException("the store lost a hash chunk");
            }
            chunk = HashChunk.decode(bytes);
            loaded.put(index, chunk);
        }
        return chunk;
    }

    private void drop(long index) {
        counts.remove(index);
        loaded.remove(index);
        changed.remove(index);
        dropped.add(index);
    }
}
