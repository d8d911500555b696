package io.sallyport.export.verify;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.TreeState;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.SegmentTree;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.export.checkpoint.LogTree;
import io.sallyport.export.checkpoint.Trim;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Checks one log tree as its segments and its records come, each in their order: memory is that of the segments that wait
 * for their records, not of those whose records are gone. Segments must come before the records that they cover.
 */
final class TreeVerifier {
    private final TreeKey key;
    private final LeafEncoder encoder;
    private final TreeHash hash;
    private final Anchors anchors;
    private final Optional<Trim> trim;
    private final ArrayDeque<ProofSegment> waiting = new ArrayDeque<>();
    private LogTree tree;
    /** First segment that is there. */
    private long firstSegment;

    private long firstCovered;
    /** Index of the segment that covers the first record that must be there. */
    private long allowedSegment = -1;
    /** The first record that is there, once it is known. */
    private long awaited = -1;

    private List<byte[]> leaves = List.of();
    private long fromPos = -1;
    private long nextPos = -1;
    /** The record after the last that a checkpoint covers. */
    private long signedTo;

    /**
     * @param anchors that the tree must pass through
     * @param trim what the cell states that retention took
     */
    TreeVerifier(TreeKey key, TreeHash hash, Anchors anchors, Optional<Trim> trim) throws TamperedException {
        this.key = key;
        this.hash = hash;
        this.encoder = new LeafEncoder(hash);
        this.tree = LogTree.empty(key, hash);
        this.anchors = anchors;
        this.trim = trim;
        anchor();
    }

    /** @param recordsCome whether records may follow, which it may cover */
    void segment(ProofSegment segment, boolean recordsCome) throws TamperedException {
        if (tree.size() == 0 && segment.getIndex() > 0 && segment.getFirstPos() >= segment.getIndex()) {
            tree = LogTree.behind(key, hash, segment);
            firstSegment = segment.getIndex();
            firstCovered = segment.getFirstPos();
        }
        Optional<String> fault = tree.add(segment);
        if (fault.isPresent()) {
            throw tampered(segment.getIndex(), missing(tree.nextPos()), fault.get());
        }
        anchor();
        if (covers(segment, allowed())) {
            allowedSegment = segment.getIndex();
        }
        boolean needed = recordsCome ? tree.nextPos() > keptFrom() : covers(segment, keptFrom());
        if (needed) {
            waiting.add(segment);
        }
    }

    /** Records below it do not come: what covers only those need not be kept. */
    private long keptFrom() {
        if (nextPos >= 0) {
            return nextPos;
        }
        return awaited >= 0 ? awaited : allowed();
    }

    private static boolean covers(ProofSegment segment, long pos) {
        return pos >= segment.getFirstPos() && pos < segment.getFirstPos() + segment.getCount();
    }

    /** The first record that must be there. */
    private long allowed() {
        return trim.map(Trim::firstPos).orElse(0L);
    }

    /** Segments that retention took: then nothing tells whether the others are those of the checkpoints. */
    long lostSegments() {
        return firstSegment;
    }

    private void anchor() throws TamperedException {
        if (anchors.check(tree)) {
            signedTo = tree.nextPos();
        }
    }

    /** Segments in memory. */
    int waiting() {
        return waiting.size();
    }

    TreeKey key() {
        return key;
    }

    /** How far segments were given. */
    long coveredTo() {
        return tree.nextPos();
    }

    /** A record comes next, after the segments that cover it. */
    void awaits(StructuredRecord record) throws TamperedException {
        long pos = origin(record).getPos();
        if (pos < 0) {
            throw tampered(
                    tree.size(), identity(record), "pos " + Long.toUnsignedString(pos) + " is none that was given");
        }
        if (awaited < 0) {
            awaited = pos;
        }
    }

    void record(StructuredRecord record) throws TamperedException {
        Origin origin = origin(record);
        long pos = origin.getPos();
        if (nextPos < 0) {
            first(record, pos);
        }
        if (pos != nextPos) {
            throw pos < nextPos
                    ? tampered(segmentOf(pos), identity(record), "pos " + pos + " stands again, or out of order")
                    : tampered(segmentOf(nextPos), missing(nextPos), "pos " + nextPos + " is missing, found " + pos);
        }
        nextPos++;
        if (pos >= tree.nextPos()) {
            return;
        }
        if (pos < firstCovered) {
            // Records go long before the segments that cover them.
            throw tampered(
                    0,
                    identity(record),
                    "expected segment 0, found segment " + firstSegment + ", and the record at pos " + pos
                            + " is still there");
        }
        if (waiting.isEmpty() || pos < waiting.element().getFirstPos()) {
            throw tampered(-1, identity(record), "pos " + pos + " stands where the cell states that retention took it");
        }
        ProofSegment segment = segmentWith(pos);
        byte[] expected = leaves.get((int) (pos - segment.getFirstPos()));
        if (!LeafEncoder.covers(record)) {
            throw tampered(
                    segment.getIndex(),
                    identity(record),
                    "a field that leaf version " + LeafEncoder.VERSION + " does not cover");
        }
        if (!Arrays.equals(encoder.leaf(record), expected)) {
            throw tampered(segment.getIndex(), identity(record), "the record at pos " + pos + " was changed");
        }
    }

    /** The beginning may be missing only as far as a signed statement says. */
    private void first(StructuredRecord record, long pos) throws TamperedException {
        long allowed = allowed();
        if (pos > allowed) {
            throw tampered(
                    segmentOf(allowed),
                    missing(allowed),
                    "the beginning is cut: pos " + allowed + " is missing, found " + pos
                            + (trim.isPresent() ? "" : ", and no statement says that retention took it"));
        }
        fromPos = pos;
        nextPos = pos;
        if (pos >= tree.nextPos() && tree.size() > 0 && pos > tree.nextPos()) {
            throw tampered(tree.size(), identity(record), "pos " + pos + " follows on no segment");
        }
    }

    private ProofSegment segmentWith(long pos) {
        ProofSegment segment = waiting.element();
        while (pos >= segment.getFirstPos() + segment.getCount()) {
            waiting.remove();
            segment = waiting.element();
            leaves = List.of();
        }
        if (leaves.isEmpty()) {
            leaves = SegmentTree.leaves(segment);
        }
        return segment;
    }

    /** Index of the segment that covers a pos, or would have to; -1 where it is not at hand any more. */
    private long segmentOf(long pos) {
        if (pos >= tree.nextPos()) {
            return tree.size();
        }
        if (pos == allowed()) {
            return allowedSegment;
        }
        return waiting.stream()
                .filter(segment -> covers(segment, pos))
                .mapToLong(ProofSegment::getIndex)
                .findFirst()
                .orElse(-1);
    }

    /** After the last record: nothing that a segment covers may be missing. */
    Verdict.ShardReport finish() throws TamperedException {
        for (Checkpoint checkpoint : anchors.checkpoints()) {
            TreeState state = checkpoint.trees().get(key);
            if (state != null && state.size() > tree.size()) {
                throw tampered(
                        tree.size(),
                        missing(tree.nextPos()),
                        "expected " + state.size() + " segments, found " + tree.size());
            }
        }
        long begin = nextPos < 0 ? allowed() : nextPos;
        if (begin < tree.nextPos()) {
            throw tampered(
                    segmentOf(begin),
                    missing(begin),
                    "the end is cut: expected records up to pos " + (tree.nextPos() - 1) + ", found none from "
                            + begin);
        }
        long signed = anchors.checkpoints().stream()
                .map(checkpoint -> checkpoint.trees().get(key))
                .filter(Objects::nonNull)
                .mapToLong(TreeState::size)
                .max()
                .orElse(0);
        return new Verdict.ShardReport(
                key.shard(),
                key.generation(),
                signed,
                Math.max(fromPos, 0),
                signedTo,
                Math.max(0, Math.max(nextPos, tree.nextPos()) - signedTo));
    }

    private TamperedException tampered(long segment, String identity, String why) {
        return new TamperedException(new Verdict.Tampered(Integer.toUnsignedLong(key.shard()), segment, identity, why));
    }

    private static String missing(long pos) {
        return "the record at pos " + pos;
    }

    static Origin origin(StructuredRecord record) {
        return switch (record.getRecordCase()) {
            case EVENT -> record.getEvent().getOrigin();
            case GENERATION -> record.getGeneration().getOrigin();
            default -> record.getMarker().getOrigin();
        };
    }

    static String identity(StructuredRecord record) {
        if (record.hasEvent()) {
            Envelope event = record.getEvent();
            return "%s/%s epoch %s seq %s"
                    .formatted(
                            event.getCustomerId(),
                            event.getSensorId(),
                            Integer.toUnsignedString(event.getEpoch()),
                            Long.toUnsignedString(event.getSeq()));
        }
        if (record.hasGeneration()) {
            return "the takeover of generation "
                    + Integer.toUnsignedString(origin(record).getGeneration());
        }
        CoverageMarker marker = record.getMarker();
        return "%s/%s epoch %s marker %s"
                .formatted(
                        marker.getCustomerId(),
                        marker.getSensorId(),
                        Integer.toUnsignedString(marker.getEpoch()),
                        marker.getReason());
    }
}
