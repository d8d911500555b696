package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.envelope.proof.SegmentTree;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads the proof of a shard as a verifier does, and compares it with what stands in `structured`. */
final class TestProof {
    private TestProof() {}

    /** Waits until every record of a partition is covered by a segment, and checks all of them. */
    static List<ProofSegment> awaitCovered(int partition) {
        List<StructuredRecord> records = TestLog.read(Topics.STRUCTURED.name(), partition).stream()
                .map(record -> TestLog.parse(StructuredRecord.parser(), record.value()))
                .toList();
        long end = pos(records.get(records.size() - 1)) + 1;
        List<ProofSegment> segments = await().atMost(Duration.ofSeconds(30))
                .until(() -> segments(partition), found -> !found.isEmpty() && endOf(found) >= end);
        var hash = new TreeHash();
        var leaves = new ArrayList<byte[]>();
        for (ProofSegment segment : segments) {
            assertThat(SegmentTree.fault(hash, segment)).isEmpty();
            assertThat(segment.getShard()).isEqualTo(partition);
            assertThat(segment.getCount()).isBetween(1, OpenSegment.MAX_LEAVES);
            assertThat(segment.getFirstPos()).as("dense").isEqualTo(leaves.size());
            leaves.addAll(SegmentTree.leaves(segment));
        }
        for (int i = 0; i < segments.size(); i++) {
            assertThat(segments.get(i).getIndex()).isEqualTo(i);
        }
        var encoder = new LeafEncoder(hash);
        for (StructuredRecord record : records) {
            assertThat(encoder.leaf(record)).as("%s", record).isEqualTo(leaves.get((int) pos(record)));
            assertThat(LeafEncoder.covers(record)).isTrue();
        }
        return segments;
    }

    private static List<ProofSegment> segments(int partition) {
        return TestLog.read(Topics.PROOF_SEGMENTS.name(), partition).stream()
                .map(record -> TestLog.parse(ProofSegment.parser(), record.value()))
                .toList();
    }

    private static long endOf(List<ProofSegment> segments) {
        ProofSegment last = segments.get(segments.size() - 1);
        return last.getFirstPos() + last.getCount();
    }

    private static long pos(StructuredRecord record) {
        Origin origin = record.hasEvent()
                ? record.getEvent().getOrigin()
                : record.getMarker().getOrigin();
        return origin.getPos();
    }
}
