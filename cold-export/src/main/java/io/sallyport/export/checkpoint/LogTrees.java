package io.sallyport.export.checkpoint;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.envelope.proof.Checkpoint.TreeState;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** All log trees of a cell, as far as their segments were read. */
public final class LogTrees {
    private final String cell;
    private final TreeHash hash = new TreeHash();
    private final SortedMap<TreeKey, LogTree> trees = new TreeMap<>();
    private final Map<TreeKey, Age> ages = new HashMap<>();

    /**
     * When a tree grew.
     *
     * @param firstMs append time of its first segment; 0 where it is not known
     * @param lastMs append time of its newest segment; 0 where it is not known
     */
    public record Age(long firstMs, long lastMs) {
        static final Age UNKNOWN = new Age(0, 0);
    }

    public LogTrees(String cell) {
        this.cell = cell;
    }

    /**
     * Takes a segment.
     *
     * @param appendMs when the log got it
     * @return why it was not taken, with the name of the shard; empty where it was
     */
    public Optional<String> add(ProofSegment segment, long appendMs) {
        var key = new TreeKey(cell, segment.getShard(), segment.getGeneration());
        LogTree tree = trees.get(key);
        if (tree == null) {
            tree = LogTree.empty(key, hash);
        }
        Optional<String> fault =
                tree.add(segment).map(why -> "shard " + key.shard() + " generation " + key.generation() + ": " + why);
        if (fault.isEmpty()) {
            trees.put(key, tree);
            Age before = ages.getOrDefault(key, tree.size() == 1 ? new Age(appendMs, appendMs) : Age.UNKNOWN);
            ages.put(key, new Age(before.firstMs(), appendMs));
        }
        return fault;
    }

    /** Puts back a tree that was stored. */
    public void restore(LogTree tree, Age age) {
        trees.put(tree.key(), tree);
        ages.put(tree.key(), age);
    }

    public Age age(TreeKey key) {
        return ages.getOrDefault(key, Age.UNKNOWN);
    }

    /** Those of one shard, by generation. */
    public List<LogTree> of(int shard) {
        return trees.values().stream()
                .filter(tree -> tree.key().shard() == shard)
                .toList();
    }

    public Iterable<LogTree> trees() {
        return trees.values();
    }

    public TreeHash hash() {
        return hash;
    }

    /** @param manifests head of the export's manifest chain */
    public Checkpoint checkpoint(Optional<Hash> manifests) {
        var states = new TreeMap<TreeKey, TreeState>();
        trees.forEach((key, tree) -> states.put(key, tree.state()));
        return new Checkpoint(cell, states, manifests);
    }
}
