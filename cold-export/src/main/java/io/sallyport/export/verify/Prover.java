package io.sallyport.export.verify;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.MerkleTree;
import io.sallyport.envelope.proof.SegmentTree;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.RecordProof;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Makes the proof of one record from the segments of its log tree. */
public final class Prover {
    private Prover() {}

    /**
     * The proof of a record.
     *
     * @param segments of the record's tree, from the first, at least as many as the checkpoint has
     * @param note of {@code checkpoint}, signed
     * @param known other checkpoints that somebody may have pinned; the proof tells how their tree and this one agree
     * @return empty where the checkpoint does not cover the record yet
     */
    public static Optional<RecordProof> prove(
            StructuredRecord record,
            List<ProofSegment> segments,
            Checkpoint checkpoint,
            String note,
            Collection<Checkpoint> known) {
        var origin = TreeVerifier.origin(record);
        var key = new TreeKey(checkpoint.origin(), origin.getShard(), origin.getGeneration());
        long size = checkpoint.trees().containsKey(key)
                ? checkpoint.trees().get(key).size()
                : 0;
        Optional<ProofSegment> covering = segments.stream()
                .limit(size)
                .filter(segment -> origin.getPos() >= segment.getFirstPos()
                        && origin.getPos() < segment.getFirstPos() + segment.getCount())
                .findFirst();
        if (covering.isEmpty() || segments.size() < size) {
            return Optional.empty();
        }
        ProofSegment segment = covering.get();
        var hash = new TreeHash();
        int at = (int) (origin.getPos() - segment.getFirstPos());
        int owner = segment.getOwners(at);
        List<byte[]> all = SegmentTree.leaves(segment);
        var own = new ArrayList<byte[]>();
        int leaf = 0;
        for (int i = 0; i < all.size(); i++) {
            if (segment.getOwners(i) == owner) {
                leaf = i == at ? own.size() : leaf;
                own.add(all.get(i));
            }
        }
        List<byte[]> entries = segments.stream()
                .limit(size)
                .map(each -> hash.leaf(SegmentTree.entry(each)))
                .toList();
        var tree = new MerkleTree(hash, entries);
        var proof = RecordProof.newBuilder()
                .setRecord(record)
                .setSegment(segment.toBuilder().clearLeaves().clearOwners())
                .setLeaf(leaf)
                .setLeaves(own.size())
                .addAllLeafPath(bytes(new MerkleTree(hash, own).inclusion(leaf)))
                .addAllSegmentPath(bytes(tree.inclusion((int) segment.getIndex())))
                .setCheckpoint(note);
        var sizes = new TreeSet<Long>();
        for (Checkpoint other : known) {
            if (other.trees().containsKey(key)) {
                sizes.add(other.trees().get(key).size());
            }
        }
        for (long other : sizes.headSet(size, false)) {
            byte[] root = new MerkleTree(hash, entries.subList(0, (int) other)).root();
            proof.addConsistency(RecordProof.Consistency.newBuilder()
                    .setSize(other)
                    .setRoot(ByteString.copyFrom(root))
                    .addAllPath(bytes(tree.consistency((int) other))));
        }
        return Optional.of(proof.build());
    }

    /** Whether a record is the one that an identity names. */
    public static boolean isEvent(StructuredRecord record, String customerId, String sensorId, int epoch, long seq) {
        return record.hasEvent()
                && record.getEvent().getSeq() == seq
                && record.getEvent().getEpoch() == epoch
                && record.getEvent().getSensorId().equals(sensorId)
                && record.getEvent().getCustomerId().equals(customerId)
                && LeafEncoder.covers(record);
    }

    private static List<ByteString> bytes(List<byte[]> path) {
        return path.stream().map(ByteString::copyFrom).toList();
    }
}
