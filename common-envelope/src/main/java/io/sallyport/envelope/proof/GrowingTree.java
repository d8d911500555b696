package io.sallyport.envelope.proof;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The right edge of an RFC 6962 tree that only grows: one hash for each perfect subtree, at most 63, which is all that
 * appending and the root need.
 */
public final class GrowingTree {
    private final TreeHash hash;
    /** Roots of the perfect subtrees, the largest first: one for each bit of {@code size}. */
    private final List<byte[]> edge = new ArrayList<>();

    private long size;

    public GrowingTree(TreeHash hash) {
        this.hash = hash;
    }

    /** @throws IllegalArgumentException where the bytes are not those of {@link #encode} */
    public static GrowingTree decode(TreeHash hash, byte[] encoded) {
        var in = ByteBuffer.wrap(encoded);
        var tree = new GrowingTree(hash);
        if (encoded.length < Long.BYTES) {
            throw new IllegalArgumentException("a tree's edge has " + encoded.length + " bytes");
        }
        tree.size = in.getLong();
        if (tree.size < 0 || in.remaining() != Long.bitCount(tree.size) * TreeHash.BYTES) {
            throw new IllegalArgumentException("a tree's edge does not fit its size " + tree.size);
        }
        while (in.hasRemaining()) {
            var node = new byte[TreeHash.BYTES];
            in.get(node);
            tree.edge.add(node);
        }
        return tree;
    }

    public byte[] encode() {
        var out = ByteBuffer.allocate(Long.BYTES + edge.size() * TreeHash.BYTES).putLong(size);
        edge.forEach(out::put);
        return out.array();
    }

    /** Number of leaves. */
    public long size() {
        return size;
    }

    public void append(byte[] leaf) {
        byte[] node = leaf;
        for (long bit = 1; (size & bit) != 0; bit <<= 1) {
            node = hash.node(edge.remove(edge.size() - 1), node);
        }
        edge.add(node);
        size++;
    }

    public byte[] root() {
        if (edge.isEmpty()) {
            return hash.empty();
        }
        byte[] root = edge.get(edge.size() - 1);
        for (int i = edge.size() - 2; i >= 0; i--) {
            root = hash.node(edge.get(i), root);
        }
        return root;
    }
}
