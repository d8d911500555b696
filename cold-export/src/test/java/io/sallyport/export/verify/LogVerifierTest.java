package io.sallyport.export.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.export.checkpoint.Trim;
import io.sallyport.export.verify.Verdict.Tampered;
import io.sallyport.export.verify.Verdict.Verified;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogVerifierTest {
    private final Ledger zero = new Ledger(0, 0, "a");
    private final Ledger one = new Ledger(1, 0, "a");
    private Checkpoint pinned;
    private Checkpoint newest;
    private Optional<Trim> trim = Optional.empty();

    @BeforeEach
    void twoShards() {
        zero.segment(10).segment(1).segment(25);
        one.segment(4);
        pinned = Ledger.checkpoint(zero, one);
        zero.segment(12).segment(8);
        newest = Ledger.checkpoint(zero, one);
    }

    private Verdict verify() {
        return new LogVerifier(
                        Ledger.CELL,
                        Optional.of(Ledger.pin(pinned)),
                        Optional.of(newest),
                        key -> trim.filter(found -> found.tree().equals(key)))
                .verify(List.of(zero.shard(), one.shard()));
    }

    private Tampered tampered() {
        Verdict verdict = verify();
        assertThat(verdict).isInstanceOf(Tampered.class);
        assertThat(verdict.exit()).isEqualTo(1);
        return (Tampered) verdict;
    }

    @Test
    void shouldVerifyWhatNobodyTouched() {
        zero.tail(3);
        assertThat(verify()).isInstanceOfSatisfying(Verified.class, verified -> {
            assertThat(verified.exit()).isZero();
            assertThat(verified.shards())
                    .containsExactly(
                            new Verdict.ShardReport(0, 0, 5, 0, 56, 3), new Verdict.ShardReport(1, 0, 1, 0, 4, 0));
        });
    }

    @Test
    void shouldSayThatNothingAnchorsIt() {
        Verdict verdict = new LogVerifier(Ledger.CELL, Optional.empty(), Optional.empty(), key -> Optional.empty())
                .verify(List.of(zero.shard(), one.shard()));
        assertThat(verdict.exit()).isEqualTo(3);
    }

    @Test
    void shouldFindAChangedByteOfEveryPayload() {
        for (int i = 0; i < zero.records.size(); i++) {
            StructuredRecord good = zero.records.get(i);
            if (!good.hasEvent()) {
                continue;
            }
            zero.records.set(
                    i,
                    withPayload(
                            good,
                            "A" + good.getEvent().getPayload().toStringUtf8().substring(1)));
            Tampered found = tampered();
            assertThat(found.shard()).isZero();
            assertThat(found.identity())
                    .isEqualTo("%s/s-1 epoch 1 seq %d".formatted(good.getEvent().getCustomerId(), i + 1));
            assertThat(found.segment()).isEqualTo(i < 10 ? 0 : i < 11 ? 1 : i < 36 ? 2 : i < 48 ? 3 : 4);
            zero.records.set(i, good);
        }
        assertThat(verify().exit()).isZero();
    }

    @Test
    void shouldFindAFieldThatNoLeafCovers() {
        StructuredRecord good = zero.records.get(5);
        zero.records.set(
                5,
                good.toBuilder()
                        .setEvent(good.getEvent().toBuilder()
                                .setUnknownFields(UnknownFieldSet.newBuilder()
                                        .addField(
                                                77,
                                                UnknownFieldSet.Field.newBuilder()
                                                        .addVarint(1)
                                                        .build())
                                        .build()))
                        .build());
        assertThat(tampered().why()).contains("does not cover");
    }

    @Test
    void shouldFindARemovedRecord() {
        zero.records.remove(20);
        Tampered found = tampered();
        assertThat(found.segment()).isEqualTo(2);
        assertThat(found.identity()).isEqualTo("the record at pos 20");
    }

    @Test
    void shouldFindARecordThatWasAddedOrDuplicated() {
        zero.records.add(21, zero.records.get(20));
        assertThat(tampered().why()).contains("pos 20 stands again");
    }

    @Test
    void shouldFindReorderedRecords() {
        Collections.swap(zero.records, 20, 21);
        assertThat(tampered().identity()).isEqualTo("the record at pos 20");
    }

    @Test
    void shouldFindACutTail() {
        zero.records.subList(50, 56).clear();
        assertThat(tampered().why()).contains("the end is cut");
        zero.segments.remove(4);
        assertThat(tampered().why()).isEqualTo("expected 5 segments, found 4");
        // Even where whoever did it also goes back to an older checkpoint of the store.
        zero.segments.subList(2, 4).clear();
        zero.records.subList(11, 50).clear();
        newest = Ledger.checkpoint(zero, one);
        assertThat(tampered().why()).contains("expected at least 3 segments, found 2");
    }

    @Test
    void shouldFindAShardThatIsGone() {
        one.records.clear();
        one.segments.clear();
        Tampered found = tampered();
        assertThat(found.shard()).isEqualTo(1);
        assertThat(found.why()).contains("found 0");
    }

    @Test
    void shouldFindACutHeadWithoutAStatement() {
        zero.records.subList(0, 11).clear();
        Tampered found = tampered();
        assertThat(found.identity()).isEqualTo("the record at pos 0");
        assertThat(found.why()).contains("no statement");
    }

    @Test
    void shouldAcceptWhatAStatementSaysAndNoMore() {
        var key = new TreeKey(Ledger.CELL, 0, 0);
        trim = Trim.open(new Trim(key, 11).sign(Ledger.KEY, Ledger.PAIR.getPrivate()), Ledger.KEY);
        zero.records.subList(0, 11).clear();
        assertThat(verify())
                .isInstanceOfSatisfying(
                        Verified.class,
                        verified ->
                                assertThat(verified.shards().get(0).fromPos()).isEqualTo(11));
        zero.records.remove(0);
        assertThat(tampered().why()).contains("pos 11 is missing");
        assertThat(Trim.open(
                        new Trim(key, 11)
                                .sign(Ledger.KEY, Ledger.PAIR.getPrivate())
                                .replace("11", "12"),
                        Ledger.KEY))
                .isEmpty();
    }

    @Test
    void shouldFindAPosThatNobodyGives() {
        var bad = zero.records.get(0).toBuilder();
        bad.getEventBuilder().getOriginBuilder().setPos(-2);
        zero.records.set(0, bad.build());
        Tampered found = tampered();
        assertThat(found.why()).isEqualTo("pos 18446744073709551614 is none that was given");
        assertThat(found.identity()).isEqualTo("globex/s-1 epoch 1 seq 1");
    }

    @Test
    void shouldNotCallTamperedWhatRetentionTookOfTheSegments() {
        var key = new TreeKey(Ledger.CELL, 0, 0);
        zero.segments.subList(0, 2).clear();
        Tampered found = tampered();
        assertThat(found.why())
                .isEqualTo("expected segment 0, found segment 2, and the record at pos 0 is still there");
        assertThat(found.segment()).isZero();
        // Records go long before their segments.
        trim = Optional.of(new Trim(key, 20));
        zero.records.subList(0, 20).clear();
        Verdict verdict = verify();
        assertThat(verdict.exit()).as("%s", verdict).isEqualTo(3);
        assertThat(verdict.toString()).contains("shard 0 generation 0: its first 2 segments");
        zero.records.remove(5);
        assertThat(tampered().identity()).isEqualTo("the record at pos 25");
    }

    @Test
    void shouldNotCallTamperedAGenerationOfWhichRetentionTookEverything() {
        one.records.clear();
        one.segments.clear();
        trim = Optional.of(new Trim(new TreeKey(Ledger.CELL, 1, 0), 4));
        Verdict verdict = verify();
        assertThat(verdict.exit()).as("%s", verdict).isEqualTo(3);
        assertThat(verdict.toString()).contains("shard 1 generation 0: all segments");
    }

    @Test
    void shouldHoldNoSegmentsWhoseRecordsAreGone() throws TamperedException {
        var key = new TreeKey(Ledger.CELL, 0, 0);
        var verifier = new TreeVerifier(
                key, new TreeHash(), new Anchors(Optional.empty(), Optional.empty()), Optional.of(new Trim(key, 37)));
        for (ProofSegment segment : zero.segments.subList(0, 3)) {
            verifier.segment(segment, true);
        }
        assertThat(verifier.waiting()).isZero();
        verifier.awaits(zero.records.get(37));
        verifier.segment(zero.segments.get(3), true);
        assertThat(verifier.waiting()).isEqualTo(1);
        verifier.record(zero.records.get(37));
    }

    @Test
    void shouldFindSwappedSegments() {
        Collections.swap(zero.segments, 2, 3);
        assertThat(tampered().why()).contains("expected segment 2, found segment 3");
    }

    @Test
    void shouldFindASegmentOfAnotherShard() {
        zero.segments.set(0, one.segments.get(0));
        assertThat(tampered().why()).contains("shard 1");
    }

    @Test
    void shouldFindAChangedLeaf() {
        ProofSegment good = zero.segments.get(2);
        byte[] leaves = good.getLeaves().toByteArray();
        leaves[0] ^= 1;
        zero.segments.set(
                2, good.toBuilder().setLeaves(ByteString.copyFrom(leaves)).build());
        assertThat(tampered().segment()).isEqualTo(2);
    }

    @Test
    void shouldFindAForkThatTheRightKeySigned() {
        var fork = new Ledger(0, 0, "another history");
        fork.segment(10).segment(1).segment(25).segment(12).segment(8);
        newest = Ledger.checkpoint(fork, one);
        Verdict verdict = new LogVerifier(
                        Ledger.CELL, Optional.of(Ledger.pin(pinned)), Optional.of(newest), key -> Optional.empty())
                .verify(List.of(fork.shard(), one.shard()));
        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Tampered.class,
                        found -> assertThat(found.why())
                                .isEqualTo("the log is another one than the signed checkpoint's at 3 segments"));
    }

    @Test
    void shouldFindAGenerationMixedIn() {
        var other = new Ledger(0, 1, "a");
        other.segment(10);
        zero.records.set(3, other.records.get(3));
        assertThat(tampered().why()).contains("pos 0 is missing");
        zero.records.clear();
        zero.records.addAll(new Ledger(0, 0, "a").tail(56).records);
        assertThat(verify().exit()).isZero();
        zero.segments.add(3, other.segments.get(0));
        assertThat(tampered().why()).contains("the end is cut");
    }

    @Test
    void shouldFollowTwoGenerationsThatInterleave() {
        var next = new Ledger(0, 1, "b");
        next.segment(6).segment(5);
        zero.records.addAll(15, next.records.subList(0, 4));
        zero.records.addAll(30, next.records.subList(4, 11));
        zero.segments.addAll(3, next.segments);
        var onlyZero = new Ledger(0, 0, "a");
        onlyZero.segment(10).segment(1).segment(25).segment(12).segment(8);
        newest = Ledger.checkpoint(onlyZero, one, next);
        assertThat(verify())
                .isInstanceOfSatisfying(
                        Verified.class,
                        verified -> assertThat(verified.shards()).contains(new Verdict.ShardReport(0, 1, 2, 0, 11, 0)));
    }

    @Test
    void shouldRefuseAPinThatIsNone() {
        String pin = Ledger.pin(pinned).text();
        assertThatThrownBy(() -> Pin.parse("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Pin.parse(pin.replace("tree 0 0 3", "tree 0 0 4")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static StructuredRecord withPayload(StructuredRecord record, String payload) {
        return record.toBuilder()
                .setEvent(record.getEvent().toBuilder().setPayload(ByteString.copyFromUtf8(payload)))
                .build();
    }
}
