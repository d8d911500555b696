package io.sallyport.normalizer.core;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** Content hashes of the committed ones among 64 neighbouring seqs: a bitmap, then the hashes in order of seq. */
final class HashChunk {
    static final int SEQS = 64;
    private static final int SHIFT = 6;

    private final long[] hashes = new long[SEQS];
    private long present;

    /** The chunk that a seq lies in. */
    static long indexOf(long seq) {
        return seq >>> SHIFT;
    }

    static HashChunk decode(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        var chunk = new HashChunk();
        chunk.present = in.getLong();
        for (int i = 0; i < SEQS; i++) {
            if ((chunk.present & (1L << i)) != 0) {
                chunk.hashes[i] = in.getLong();
            }
        }
        return chunk;
    }

    byte[] encode() {
        var out = ByteBuffer.allocate(8 + 8 * count()).putLong(present);
        for (int i = 0; i < SEQS; i++) {
            if ((present & (1L << i)) != 0) {
                out.putLong(hashes[i]);
            }
        }
        return out.array();
    }

    int count() {
        return Long.bitCount(present);
    }

    OptionalLong get(long seq) {
        int i = (int) (seq & (SEQS - 1));
        return (present & (1L << i)) == 0 ? OptionalLong.empty() : OptionalLong.of(hashes[i]);
    }

    void put(long seq, long hash) {
        int i = (int) (seq & (SEQS - 1));
        present |= 1L << i;
        hashes[i] = hash;
    }
}
