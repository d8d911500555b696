package io.sallyport.export.checkpoint;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.envelope.proof.Checkpoint.TreeState;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** All log trees of a cell, as far as their segments were read. */
public final class LogTrees {
    private final String cell;
    private final TreeHash hash = new TreeHash();
    private final SortedMap<TreeKey, LogTree> trees = new TreeMap<>();

    public LogTrees(String cell) {
        this.cell = cell;
    }

    /**
     * Takes a segment.
     *
     * @return why it was not taken, with the name of the shard; empty where it was
     */
    public Optional<String> add(ProofSegment segment) {
        var key = new TreeKey(cell, segment.getShard(), segment.getGeneration());
        LogTree tree = trees.get(key);
        if (tree == null) {
            tree = LogTree.empty(key, hash);
        }
        Optional<String> fault =
                tree.add(segment).map(why -> "shard " + key.shard() + " generation " + key.generation() + ": " + why);
        if (fault.isEmpty()) {
            trees.put(key, tree);
        }
        return fault;
    }

    /** Puts back a tree that was stored. */
    public void restore(LogTree tree) {
        trees.put(tree.key(), tree);
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
