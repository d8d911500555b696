package io.sallyport.envelope.proof;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.ArrayList;
import java.util.List;

/** Leaves that wait for their segment to close. */
public final class OpenSegment {
    /** Most leaves of a segment (semantics, section 10). */
    public static final int MAX_LEAVES = 4_096;
    /** How long a segment with leaves stays open at most. */
    public static final long MAX_OPEN_MS = 1_000;

    private final TreeKey tree;
    private final long index;
    private final long firstPos;
    private final List<byte[]> leaves = new ArrayList<>();
    private final List<String> customers = new ArrayList<>();

    /**
     * @param index of the segment, dense from 0 per tree
     * @param firstPos pos of its first record
     */
    public OpenSegment(TreeKey tree, long index, long firstPos) {
        this.tree = tree;
        this.index = index;
        this.firstPos = firstPos;
    }

    /**
     * Adds the record at the next pos.
     *
     * @param customerId empty for a record of no customer
     * @throws IllegalStateException where it is full
     */
    public void add(String customerId, byte[] leaf) {
        if (isFull()) {
            throw new IllegalStateException("a segment has at most " + MAX_LEAVES + " leaves");
        }
        customers.add(customerId);
        leaves.add(leaf);
    }

    public int count() {
        return leaves.size();
    }

    public boolean isFull() {
        return leaves.size() == MAX_LEAVES;
    }

    /** The pos of the next record. */
    public long nextPos() {
        return firstPos + leaves.size();
    }

    /** The record of the segment. */
    public ProofSegment close(TreeHash hash) {
        return SegmentTree.build(hash, leaves, customers)
                .setCell(tree.cell())
                .setShard(tree.shard())
                .setGeneration(tree.generation())
                .setIndex(index)
                .setFirstPos(firstPos)
                .setLeafVersion(LeafEncoder.VERSION)
                .setLeaves(leafList())
                .build();
    }

    private ByteString leafList() {
        var all = new byte[leaves.size() * TreeHash.BYTES];
        for (int i = 0; i < leaves.size(); i++) {
            System.arraycopy(leaves.get(i), 0, all, i * TreeHash.BYTES, TreeHash.BYTES);
        }
        return UnsafeByteOperations.unsafeWrap(all);
    }
}
