package io.sallyport.export.verify;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.TreeState;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.MerkleTree;
import io.sallyport.envelope.proof.SegmentTree;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.proto.log.v1.CustomerRoot;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.RecordProof;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Checks the proof of one record with nothing but a pin. */
public final class ProofVerifier {
    private final TreeHash hash = new TreeHash();
    private final RecordProof proof;
    private final Pin pin;

    private ProofVerifier(RecordProof proof, Pin pin) {
        this.proof = proof;
        this.pin = pin;
    }

    /**
     * What the proof is worth.
     *
     * @return Unanchored where it holds in itself and is signed by the pinned key, but does not tell how its checkpoint and
     *     the pinned one agree
     */
    public static Verdict verify(RecordProof proof, Pin pin) {
        return new ProofVerifier(proof, pin).verify();
    }

    private Verdict verify() {
        StructuredRecord record = proof.getRecord();
        ProofSegment segment = proof.getSegment();
        if (!LeafEncoder.covers(record)) {
            return tampered("the record is none that leaf version " + LeafEncoder.VERSION + " covers");
        }
        Optional<Checkpoint> opened =
                SignedNote.open(proof.getCheckpoint(), pin.key()).flatMap(Checkpoint::parse);
        if (opened.isEmpty()) {
            return tampered("the checkpoint is not signed by the pinned key");
        }
        Checkpoint checkpoint = opened.get();
        var key = new TreeKey(segment.getCell(), segment.getShard(), segment.getGeneration());
        TreeState state = checkpoint.trees().get(key);
        if (state == null || !checkpoint.origin().equals(pin.checkpoint().origin())) {
            return tampered("the checkpoint does not have the segment's log tree");
        }
        Optional<String> fault = faultInSegment(record, segment);
        if (fault.isPresent()) {
            return tampered(fault.get());
        }
        byte[] entry = hash.leaf(SegmentTree.entry(segment));
        if (!MerkleTree.verifyInclusion(
                hash,
                entry,
                segment.getIndex(),
                state.size(),
                path(proof.getSegmentPathList()),
                state.root().bytes())) {
            return tampered("the segment is not in the signed log tree");
        }
        return anchor(key, state, segment);
    }

    /** From the record to the segment's root. */
    private Optional<String> faultInSegment(StructuredRecord record, ProofSegment segment) {
        var origin = TreeVerifier.origin(record);
        long at = origin.getPos() - segment.getFirstPos();
        if (origin.getShard() != segment.getShard()
                || origin.getGeneration() != segment.getGeneration()
                || at < 0
                || at >= segment.getCount()
                || segment.getLeafVersion() != LeafEncoder.VERSION) {
            return Optional.of("the record is not one of the segment's positions");
        }
        String customer = record.hasEvent()
                ? record.getEvent().getCustomerId()
                : record.getMarker().getCustomerId();
        List<CustomerRoot> own = segment.getCustomersList().stream()
                .filter(root -> root.getCustomerId().equals(customer))
                .toList();
        int total = segment.getCustomersList().stream()
                .mapToInt(CustomerRoot::getCount)
                .sum();
        if (own.size() != 1 || own.get(0).getCount() != proof.getLeaves() || total != segment.getCount()) {
            return Optional.of("the customer's subtree does not fit the segment");
        }
        byte[] leaf = new LeafEncoder(hash).leaf(record);
        if (!MerkleTree.verifyInclusion(
                hash,
                leaf,
                proof.getLeaf(),
                proof.getLeaves(),
                path(proof.getLeafPathList()),
                own.get(0).getRoot().toByteArray())) {
            return Optional.of(
                    "the record is not in the customer's subtree: it was changed, or the proof is another one's");
        }
        List<byte[]> tops = segment.getCustomersList().stream()
                .map(root -> hash.leaf(SegmentTree.customerEntry(root)))
                .toList();
        return Arrays.equals(
                        new MerkleTree(hash, tops).root(), segment.getRoot().toByteArray())
                ? Optional.empty()
                : Optional.of("the customers' subtrees do not give the segment's root");
    }

    /** The proof's tree and the pinned one must be one log at two times. */
    private Verdict anchor(TreeKey key, TreeState state, ProofSegment segment) {
        List<Verdict.ShardReport> reports = List.of(new Verdict.ShardReport(
                key.shard(),
                key.generation(),
                state.size(),
                segment.getFirstPos(),
                segment.getFirstPos() + segment.getCount(),
                0));
        List<String> notes = List.of("the record is " + TreeVerifier.identity(proof.getRecord()) + ", at pos "
                + TreeVerifier.origin(proof.getRecord()).getPos());
        TreeState pinned = pin.checkpoint().trees().get(key);
        if (pinned == null || pinned.size() == 0) {
            return new Verdict.Unanchored(reports, "the pin is older than the record's log tree", notes);
        }
        if (pinned.size() == state.size()) {
            return pinned.equals(state)
                    ? new Verdict.Verified(reports, notes)
                    : tampered("the log tree is another one than the pinned checkpoint's");
        }
        boolean older = pinned.size() < state.size();
        for (RecordProof.Consistency consistency : proof.getConsistencyList()) {
            if (older && consistency.getSize() == pinned.size()) {
                boolean holds = MerkleTree.verifyConsistency(
                        hash,
                        pinned.size(),
                        pinned.root().bytes(),
                        state.size(),
                        state.root().bytes(),
                        path(consistency.getPathList()));
                return holds
                        ? new Verdict.Verified(reports, notes)
                        : tampered("the log tree does not extend the pinned checkpoint's");
            }
        }
        return new Verdict.Unanchored(
                reports,
                older
                        ? "the proof does not say how its log tree extends the pinned one; make it with the pin at hand"
                        : "the pin is newer than the proof; make the proof again, or use the pin of its time",
                notes);
    }

    private Verdict.Tampered tampered(String why) {
        ProofSegment segment = proof.getSegment();
        return new Verdict.Tampered(
                Integer.toUnsignedLong(segment.getShard()),
                segment.getIndex(),
                TreeVerifier.identity(proof.getRecord()),
                why);
    }

    private static List<byte[]> path(List<ByteString> nodes) {
        return nodes.stream().map(ByteString::toByteArray).toList();
    }
}
