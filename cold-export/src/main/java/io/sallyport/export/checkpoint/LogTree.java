package io.sallyport.export.checkpoint;

import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.envelope.proof.Checkpoint.TreeState;
import io.sallyport.envelope.proof.GrowingTree;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.SegmentTree;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.proto.log.v1.ProofSegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/** One log tree as its segments come: only what continues it is taken. */
public final class LogTree {
    private final TreeKey key;
    private final TreeHash hash;
    private final GrowingTree tree;
    private long nextPos;

    private LogTree(TreeKey key, TreeHash hash, GrowingTree tree, long nextPos) {
        this.key = key;
        this.hash = hash;
        this.tree = tree;
        this.nextPos = nextPos;
    }

    /** Genesis: no segment, and pos 0 is the next. */
    public static LogTree empty(TreeKey key, TreeHash hash) {
        return new LogTree(key, hash, new GrowingTree(hash), 0);
    }

    /** @throws IllegalArgumentException where the bytes are not those of {@link #encode} */
    public static LogTree decode(TreeKey key, TreeHash hash, byte[] encoded) {
        if (encoded.length < Long.BYTES) {
            throw new IllegalArgumentException("a log tree has " + encoded.length + " bytes");
        }
        var in = ByteBuffer.wrap(encoded);
        long nextPos = in.getLong();
        var edge = new byte[in.remaining()];
        in.get(edge);
        return new LogTree(key, hash, GrowingTree.decode(hash, edge), nextPos);
    }

    public byte[] encode() {
        byte[] edge = tree.encode();
        return ByteBuffer.allocate(Long.BYTES + edge.length)
                .putLong(nextPos)
                .put(edge)
                .array();
    }

    public TreeKey key() {
        return key;
    }

    /** Segments in it. */
    public long size() {
        return tree.size();
    }

    /** `pos` of the first record that no segment covers yet. */
    public long nextPos() {
        return nextPos;
    }

    public TreeState state() {
        return new TreeState(tree.size(), new Hash(tree.root()));
    }

    /**
     * Takes the next segment.
     *
     * @return why it was not taken; empty where it was
     */
    public Optional<String> add(ProofSegment segment) {
        if (!key.equals(new TreeKey(segment.getCell(), segment.getShard(), segment.getGeneration()))) {
            return Optional.of("a segment of cell " + segment.getCell() + ", shard " + segment.getShard()
                    + ", generation " + segment.getGeneration());
        }
        if (segment.getIndex() != tree.size()) {
            return Optional.of("expected segment " + tree.size() + ", found segment " + segment.getIndex());
        }
        if (segment.getFirstPos() != nextPos) {
            return Optional.of("expected pos " + nextPos + ", found pos " + segment.getFirstPos());
        }
        if (segment.getLeafVersion() != LeafEncoder.VERSION) {
            return Optional.of("leaf version " + segment.getLeafVersion() + " is not known");
        }
        Optional<String> fault = SegmentTree.fault(hash, segment);
        if (fault.isEmpty()) {
            tree.append(hash.leaf(SegmentTree.entry(segment)));
            nextPos += segment.getCount();
        }
        return fault;
    }
}
