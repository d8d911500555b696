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
    /** Segments before the first one that is known. */
    private final long lost;

    private long nextPos;

    private LogTree(TreeKey key, TreeHash hash, GrowingTree tree, long nextPos, long lost) {
        this.key = key;
        this.hash = hash;
        this.tree = tree;
        this.nextPos = nextPos;
        this.lost = lost;
    }

    /** Genesis: no segment, and pos 0 is the next. */
    public static LogTree empty(TreeKey key, TreeHash hash) {
        return new LogTree(key, hash, new GrowingTree(hash), 0, 0);
    }

    /** One whose segments before this one are not there any more: that its segments follow each other is all it can tell. */
    public static LogTree behind(TreeKey key, TreeHash hash, ProofSegment first) {
        return new LogTree(key, hash, new GrowingTree(hash), first.getFirstPos(), first.getIndex());
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
        return new LogTree(key, hash, GrowingTree.decode(hash, edge), nextPos, 0);
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

    /** Segments in it, those that are lost included. */
    public long size() {
        return lost + tree.size();
    }

    /** Whether it has a root. */
    public boolean isWhole() {
        return lost == 0;
    }

    /** `pos` of the first record that no segment covers yet. */
    public long nextPos() {
        return nextPos;
    }

    /** @throws IllegalStateException where it is not whole */
    public TreeState state() {
        if (!isWhole()) {
            throw new IllegalStateException("the first " + lost + " segments are lost");
        }
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
        if (segment.getIndex() != size()) {
            return Optional.of("expected segment " + size() + ", found segment " + segment.getIndex());
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
