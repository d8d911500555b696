package io.sallyport.envelope.proof;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Roots and proofs of RFC 6962 (sections 2.1, 2.1.1, 2.1.2) over leaf hashes. A tree of n leaves is split at the largest
 * power of two below n: an odd node is promoted, never repeated, so two lists of leaves never share a root.
 */
public final class MerkleTree {
    private final TreeHash hash;
    private final List<byte[]> leaves;

    /** @param leaves leaf hashes in order; not copied */
    public MerkleTree(TreeHash hash, List<byte[]> leaves) {
        this.hash = hash;
        this.leaves = leaves;
    }

    public byte[] root() {
        return leaves.isEmpty() ? hash.empty() : subtree(0, leaves.size());
    }

    /**
     * Audit path of one leaf, from the leaf's neighbour up.
     *
     * @throws IndexOutOfBoundsException where there is no such leaf
     */
    public List<byte[]> inclusion(int index) {
        Objects.checkIndex(index, leaves.size());
        var path = new ArrayList<byte[]>();
        inclusion(index, 0, leaves.size(), path);
        return path;
    }

    /**
     * What shows that the tree of the first {@code size} leaves is a prefix of this one.
     *
     * @throws IndexOutOfBoundsException where this tree is smaller
     */
    public List<byte[]> consistency(int size) {
        Objects.checkFromToIndex(0, size, leaves.size());
        var path = new ArrayList<byte[]>();
        if (size > 0 && size < leaves.size()) {
            consistency(size, 0, leaves.size(), true, path);
        }
        return path;
    }

    private byte[] subtree(int from, int to) {
        if (to - from == 1) {
            return leaves.get(from);
        }
        int middle = from + split(to - from);
        return hash.node(subtree(from, middle), subtree(middle, to));
    }

    private void inclusion(int index, int from, int to, List<byte[]> path) {
        if (to - from == 1) {
            return;
        }
        int middle = from + split(to - from);
        if (index < middle) {
            inclusion(index, from, middle, path);
            path.add(subtree(middle, to));
        } else {
            inclusion(index, middle, to, path);
            path.add(subtree(from, middle));
        }
    }

    /** SUBPROOF of the RFC; {@code known}: the verifier has the root of this subtree. */
    private void consistency(int size, int from, int to, boolean known, List<byte[]> path) {
        if (size == to) {
            if (!known) {
                path.add(subtree(from, to));
            }
            return;
        }
        int middle = from + split(to - from);
        if (size <= middle) {
            consistency(size, from, middle, known, path);
            path.add(subtree(middle, to));
        } else {
            consistency(size, middle, to, false, path);
            path.add(subtree(from, middle));
        }
    }

    private static int split(int size) {
        return Integer.highestOneBit(size - 1);
    }

    /** Whether {@code path} leads from the leaf at {@code index} to the root of a tree of {@code size} leaves. */
    public static boolean verifyInclusion(
            TreeHash hash, byte[] leaf, long index, long size, List<byte[]> path, byte[] root) {
        if (index < 0 || index >= size || path.stream().anyMatch(node -> node.length != TreeHash.BYTES)) {
            return false;
        }
        long at = index;
        long last = size - 1;
        byte[] reached = leaf;
        for (byte[] neighbour : path) {
            if (last == 0) {
                return false;
            }
            if ((at & 1) == 1 || at == last) {
                reached = hash.node(neighbour, reached);
                while ((at & 1) == 0 && at != 0) {
                    at >>>= 1;
                    last >>>= 1;
                }
            } else {
                reached = hash.node(reached, neighbour);
            }
            at >>>= 1;
            last >>>= 1;
        }
        return last == 0 && Arrays.equals(reached, root);
    }

    /** Whether {@code path} shows that the tree of {@code size} leaves with {@code root} begins with the older one. */
    public static boolean verifyConsistency(
            TreeHash hash, long olderSize, byte[] olderRoot, long size, byte[] root, List<byte[]> path) {
        if (olderSize < 0 || olderSize > size || path.stream().anyMatch(node -> node.length != TreeHash.BYTES)) {
            return false;
        }
        if (olderSize == size) {
            return path.isEmpty() && Arrays.equals(olderRoot, root);
        }
        if (olderSize == 0) {
            return path.isEmpty() && Arrays.equals(olderRoot, hash.empty());
        }
        var rest = new ArrayList<byte[]>(path);
        if (Long.bitCount(olderSize) == 1) {
            rest.add(0, olderRoot);
        }
        if (rest.isEmpty()) {
            return false;
        }
        long at = olderSize - 1;
        long last = size - 1;
        while ((at & 1) == 1) {
            at >>>= 1;
            last >>>= 1;
        }
        byte[] older = rest.get(0);
        byte[] newer = older;
        for (byte[] node : rest.subList(1, rest.size())) {
            if (last == 0) {
                return false;
            }
            if ((at & 1) == 1 || at == last) {
                older = hash.node(node, older);
                newer = hash.node(node, newer);
                while ((at & 1) == 0 && at != 0) {
                    at >>>= 1;
                    last >>>= 1;
                }
            } else {
                newer = hash.node(newer, node);
            }
            at >>>= 1;
            last >>>= 1;
        }
        return last == 0 && Arrays.equals(older, olderRoot) && Arrays.equals(newer, root);
    }
}
