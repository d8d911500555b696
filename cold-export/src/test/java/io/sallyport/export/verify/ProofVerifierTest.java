package io.sallyport.export.verify;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.proto.log.v1.RecordProof;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProofVerifierTest {
    private final Ledger ledger = new Ledger(0, 0, "a");
    private Checkpoint older;
    private Checkpoint newest;

    @BeforeEach
    void aShard() {
        ledger.segment(10).segment(1).segment(25);
        older = Ledger.checkpoint(ledger);
        ledger.segment(12).segment(8);
        newest = Ledger.checkpoint(ledger);
    }

    private RecordProof prove(StructuredRecord record) {
        return Prover.prove(record, ledger.segments, newest, note(newest), List.of(older, newest))
                .orElseThrow();
    }

    private static String note(Checkpoint checkpoint) {
        return SignedNote.sign(checkpoint.text(), Ledger.KEY, Ledger.PAIR.getPrivate());
    }

    private static int exit(RecordProof proof, Checkpoint pinned) {
        return ProofVerifier.verify(proof, Ledger.pin(pinned)).exit();
    }

    @Test
    void shouldProveEveryRecordAgainstAnOlderAndTheSamePin() {
        for (StructuredRecord record : ledger.records) {
            RecordProof proof = prove(record);
            assertThat(exit(proof, newest)).isZero();
            assertThat(exit(proof, older)).isZero();
        }
    }

    @Test
    void shouldNameWhatItProves() {
        assertThat(ProofVerifier.verify(prove(ledger.records.get(40)), Ledger.pin(older))
                        .toString())
                .contains("the record is acme/s-1 epoch 1 seq 41, at pos 40");
    }

    @Test
    void shouldSayWhereThePinDoesNotReach() {
        RecordProof proof = prove(ledger.records.get(3));
        assertThat(exit(proof, Ledger.checkpoint())).isEqualTo(3);
        assertThat(exit(proof.toBuilder().clearConsistency().build(), older)).isEqualTo(3);
        ledger.segment(3);
        assertThat(exit(proof, Ledger.checkpoint(ledger))).isEqualTo(3);
    }

    @Test
    void shouldNotProveWhatNoCheckpointCovers() {
        ledger.tail(1);
        assertThat(Prover.prove(ledger.records.get(56), ledger.segments, newest, note(newest), List.of()))
                .isEmpty();
    }

    @Test
    void shouldRefuseEveryChange() {
        RecordProof good = prove(ledger.records.get(40));
        var forged = new ArrayList<RecordProof>();
        forged.add(good.toBuilder()
                .setRecord(good.getRecord().toBuilder()
                        .setEvent(good.getRecord().getEvent().toBuilder().setPayload(ByteString.copyFromUtf8("x"))))
                .build());
        // A proof for another position, of another record, of an inner node as a leaf.
        forged.add(good.toBuilder().setLeaf(good.getLeaf() ^ 1).build());
        forged.add(good.toBuilder().setRecord(ledger.records.get(41)).build());
        forged.add(good.toBuilder().setLeaves(good.getLeaves() - 1).build());
        forged.add(good.toBuilder()
                .clearLeafPath()
                .addAllLeafPath(good.getLeafPathList().subList(1, good.getLeafPathCount()))
                .build());
        forged.add(good.toBuilder()
                .setSegment(good.getSegment().toBuilder().setIndex(2))
                .build());
        forged.add(good.toBuilder()
                .setSegment(good.getSegment().toBuilder().setFirstPos(0))
                .build());
        forged.add(good.toBuilder()
                .setSegment(good.getSegment().toBuilder().setGeneration(1))
                .build());
        forged.add(good.toBuilder().clearSegmentPath().build());
        forged.add(good.toBuilder().setCheckpoint("").build());
        forged.add(good.toBuilder()
                .setCheckpoint(good.getCheckpoint().replace("tree 0 0 5", "tree 0 0 6"))
                .build());
        forged.add(RecordProof.getDefaultInstance());
        assertThat(forged).allSatisfy(proof -> assertThat(exit(proof, newest)).isEqualTo(1));
    }

    @Test
    void shouldRefuseAForkThatTheRightKeySigned() {
        var fork = new Ledger(0, 0, "another history");
        fork.segment(10).segment(1).segment(25).segment(12);
        Checkpoint forked = Ledger.checkpoint(fork);
        RecordProof proof = Prover.prove(fork.records.get(2), fork.segments, forked, note(forked), List.of(older))
                .orElseThrow();
        assertThat(exit(proof, older)).isEqualTo(1);
        assertThat(exit(proof, forked)).isZero();
    }
}
