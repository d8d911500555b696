package io.sallyport.export.verify;

import io.sallyport.envelope.proof.SegmentTree;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.export.checkpoint.LogTree;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The log trees of one shard as its exported segments make them, and which of their records were met. Holds every leaf. */
final class ExportedTrees {
    private final String cell;
    private final int shard;
    private final Anchors anchors;
    private final TreeHash hash;
    private final Map<Integer, Tree> trees = new TreeMap<>(Integer::compareUnsigned);

    /** One of them. */
    static final class Tree {
        final LogTree log;
        final List<byte[]> leaves = new ArrayList<>();
        /** Records that a file has. */
        final BitSet met = new BitSet();
        /** Records that retention took before they were exported, as a manifest says. */
        final BitSet lost = new BitSet();
        /** The record after the last that a checkpoint covers. */
        long signedTo;

        private final List<Integer> begins = new ArrayList<>();

        private Tree(LogTree log) {
            this.log = log;
        }

        boolean has(long pos) {
            return pos >= 0 && pos < leaves.size();
        }

        /** Index of the segment that covers a record; -1 where none does. */
        long segmentOf(long pos) {
            if (!has(pos)) {
                return -1;
            }
            int found = java.util.Collections.binarySearch(begins, (int) pos);
            return found >= 0 ? found : -found - 2;
        }

        /** The first record that was neither met nor stated as lost; -1 where there is none. */
        long firstAbsent() {
            for (int pos = met.nextClearBit(0); pos < leaves.size(); pos = met.nextClearBit(pos + 1)) {
                if (!lost.get(pos)) {
                    return pos;
                }
            }
            return -1;
        }

        long absent() {
            return leaves.size() - met.cardinality() - lost.cardinality();
        }
    }

    ExportedTrees(String cell, int shard, Anchors anchors, TreeHash hash) {
        this.cell = cell;
        this.shard = shard;
        this.anchors = anchors;
        this.hash = hash;
    }

    void add(ProofSegment segment) throws TamperedException {
        Tree tree = trees.computeIfAbsent(
                segment.getGeneration(), number -> new Tree(LogTree.empty(new TreeKey(cell, shard, number), hash)));
        Optional<String> fault = tree.log.add(segment);
        if (fault.isPresent()) {
            throw new TamperedException(
                    new Verdict.Tampered(shard, segment.getIndex(), record(tree.log.nextPos()), fault.get()));
        }
        tree.begins.add(tree.leaves.size());
        tree.leaves.addAll(SegmentTree.leaves(segment));
        if (anchors.check(tree.log)) {
            tree.signedTo = tree.log.nextPos();
        }
    }

    /** A checkpoint binds the manifest that ends here. */
    void signed() {
        trees.values().forEach(tree -> tree.signedTo = tree.log.nextPos());
    }

    Optional<Tree> tree(int generation) {
        return Optional.ofNullable(trees.get(generation));
    }

    Collection<Tree> all() {
        return trees.values();
    }

    long nextPos(int generation) {
        return tree(generation).map(tree -> tree.log.nextPos()).orElse(0L);
    }

    /** Segments of each generation. */
    Map<Integer, Long> sizes() {
        var sizes = new TreeMap<Integer, Long>();
        trees.forEach((generation, tree) -> sizes.put(generation, tree.log.size()));
        return sizes;
    }

    long absent() {
        return trees.values().stream().mapToLong(Tree::absent).sum();
    }

    static String record(long pos) {
        return "the record at pos " + pos;
    }
}
