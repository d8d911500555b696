package io.sallyport.export.core;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Brings together the rows of a shard and the segments that prove them, and so finds where a range may be cut. Rows arrive
 * in order of pos, segments in order of index; which of them comes first does not matter. A segment is covered once every
 * row that it counts has come, or was passed: the log does not have that one any more.
 */
public final class SegmentMatcher {
    private final Position from;
    private final Optional<Position> target;
    private final SortedMap<Long, Tree> trees = new TreeMap<>();
    private final List<PosRange> missing = new ArrayList<>();
    private final SortedMap<Long, Position.Taken> takeovers = new TreeMap<>();
    private final SortedMap<Long, Position.Taken> told = new TreeMap<>();
    private KnownGenerations known = KnownGenerations.FIRST;
    private int shard;
    private long structuredEnd;
    private long proofEnd;
    private long coveredRows;
    private long mismatches;
    private boolean rowsEnded;

    private record Leaf(
            long offset,
            long pos,
            long rawOffset,
            @SuppressWarnings("ArrayRecordComponent") byte[] hash) {}

    private record Stated(long pos, Position.Taken takeover) {}

    private record Segment(long offset, ProofSegment segment) {}

    private static final class Tree {
        final long generation;
        long nextIndex;
        long nextPos;
        /** Rows below it came, or never will. */
        long seenPos;

        final Deque<Leaf> leaves = new ArrayDeque<>();
        final Deque<Segment> segments = new ArrayDeque<>();
        /** Takeovers whose rows wait for their segment. */
        final Deque<Stated> stated = new ArrayDeque<>();

        long awaitedIndex;
        /** Highest raw offset of a covered row; -1 before there is one. */
        long coveredRaw = -1;

        Tree(Position.Tree at) {
            generation = at.generation();
            nextIndex = at.nextIndex();
            awaitedIndex = at.nextIndex();
            nextPos = at.nextPos();
            seenPos = at.nextPos();
        }

        /** Rows below it have a segment that came. */
        long provedPos() {
            Segment last = segments.peekLast();
            return last == null
                    ? nextPos
                    : last.segment().getFirstPos() + last.segment().getCount();
        }
    }

    /**
     * @param from where the shard stands
     * @param target where an open intent ends; segments behind it are left alone
     */
    public SegmentMatcher(Position from, Optional<Position> target) {
        this.from = from;
        this.target = target;
        this.structuredEnd = from.structuredOffset();
        this.proofEnd = from.proofOffset();
        from.trees().forEach(tree -> trees.put(tree.generation(), new Tree(tree)));
        from.takeovers().forEach(taken -> takeovers.put(taken.generation(), taken));
    }

    /**
     * The next row of the log.
     *
     * @param rawOffset of the raw record it came from
     * @param leaf its leaf hash
     * @return whether it is new; false for a row that was exported already
     */
    public boolean row(long offset, long generation, long pos, long rawOffset, byte[] leaf) {
        structuredEnd = offset + 1;
        Tree tree = tree(generation);
        if (pos < tree.seenPos) {
            return false;
        }
        tree.leaves.add(new Leaf(offset, pos, rawOffset, leaf));
        tree.seenPos = pos + 1;
        return true;
    }

    /** The row that came last states a takeover; it counts once its segment is covered. */
    public void states(long pos, Position.Taken takeover) {
        tree(takeover.generation()).stated.add(new Stated(pos, takeover));
    }

    /**
     * What the topic `generations` says. A takeover that stands there counts from when its own row is covered, which proves
     * it; and without that row once it is clear that the row will not come.
     */
    public void know(KnownGenerations generations, int ofShard) {
        known = generations;
        shard = ofShard;
        generations.records(ofShard).forEach(takeover -> {
            Position.Taken taken = Position.Taken.of(takeover);
            told.putIfAbsent(taken.generation(), taken);
        });
    }

    /** Whether {@link #settle} has something to decide. */
    public boolean isUnsettled() {
        return !takeovers.keySet().containsAll(told.keySet())
                || trees.values().stream().anyMatch(tree -> !tree.leaves.isEmpty() && known.hasEnded(tree.generation));
    }

    /**
     * Draws the line under what is known of the generations. To be called when both topics were read past where they ended
     * at a moment at which the ended generations had stopped writing: whatever row or segment was written by them, or states
     * a takeover that is known, has come or is lost.
     *
     * <p>A generation that was given up, or could not go on, leaves its last segment open: no segment will ever have these
     * rows, so no range can hold them, and reading would begin again at them for as long as they are in the log. They are
     * left out where no reader takes them for current: those of a generation that was given up never will be, since its
     * number is not used again; those of one that was replaced are void at or behind its successor's first offset, whether
     * or not the takeover is followed yet. What is current stays, and reading with it: that must not happen, since a takeover
     * waits until the generation before it has come to its fence and closed its segment there, and leaves out that wait only
     * where its successor derived everything again.
     *
     * @return how many rows were left out
     */
    public int settle() {
        told.forEach(takeovers::putIfAbsent);
        CurrentRecords current = known.current(shard);
        int left = 0;
        for (Tree tree : trees.values()) {
            if (known.hasEnded(tree.generation)) {
                long proved = tree.provedPos();
                int before = tree.leaves.size();
                tree.leaves.removeIf(leaf -> leaf.pos() >= proved
                        && current.of(tree.generation, leaf.rawOffset()) != CurrentRecords.Standing.CURRENT);
                left += before - tree.leaves.size();
            }
        }
        return left;
    }

    /** Rows that are current, and that no segment will ever have; to be asked after {@link #settle}. */
    public int unprovable() {
        return trees.values().stream()
                .filter(tree -> known.hasEnded(tree.generation))
                .mapToInt(tree -> (int) tree.leaves.stream()
                        .filter(leaf -> leaf.pos() >= tree.provedPos())
                        .count())
                .sum();
    }

    /** An offset of the log was passed that holds no row. */
    public void passed(long structuredOffset) {
        structuredEnd = structuredOffset + 1;
    }

    /**
     * The next segment of the proof.
     *
     * @throws IllegalStateException where one is left out, or does not follow the one before
     */
    public void segment(long offset, ProofSegment segment) {
        proofEnd = offset + 1;
        Tree tree = tree(Integer.toUnsignedLong(segment.getGeneration()));
        if (segment.getIndex() < tree.awaitedIndex) {
            return;
        }
        long firstPos = tree.provedPos();
        if (segment.getIndex() != tree.awaitedIndex || segment.getFirstPos() != firstPos || segment.getCount() < 1) {
            throw new IllegalStateException("proof of generation " + tree.generation + ": expected segment "
                    + tree.awaitedIndex + " at pos " + firstPos + ", found " + segment.getIndex() + " at pos "
                    + segment.getFirstPos());
        }
        tree.segments.add(new Segment(offset, segment));
        tree.awaitedIndex++;
    }

    /** The log was read to its end: a row that did not come by now will not come. */
    public void rowsEnded() {
        rowsEnded = true;
    }

    /** Segments whose rows are all here, each once, in order. */
    public List<ProofSegment> covered() {
        var covered = new ArrayList<ProofSegment>();
        for (Tree tree : trees.values()) {
            long end = target.map(to -> to.tree(tree.generation).nextIndex()).orElse(Long.MAX_VALUE);
            while (!tree.segments.isEmpty() && tree.nextIndex < end) {
                ProofSegment next = tree.segments.getFirst().segment();
                if (tree.seenPos < next.getFirstPos() + next.getCount() && !rowsEnded) {
                    break;
                }
                cover(tree, next);
                tree.segments.removeFirst();
                covered.add(next);
            }
        }
        if (trees.values().stream().allMatch(tree -> tree.segments.isEmpty())) {
            rowsEnded = false;
        }
        return covered;
    }

    private void cover(Tree tree, ProofSegment segment) {
        long end = segment.getFirstPos() + segment.getCount();
        long expected = segment.getFirstPos();
        while (!tree.leaves.isEmpty() && tree.leaves.getFirst().pos() < end) {
            Leaf leaf = tree.leaves.removeFirst();
            missing(tree, expected, leaf.pos());
            if (!isLeaf(segment, (int) (leaf.pos() - segment.getFirstPos()), leaf.hash())) {
                mismatches++;
            }
            coveredRows++;
            tree.coveredRaw = Math.max(tree.coveredRaw, leaf.rawOffset());
            expected = leaf.pos() + 1;
        }
        missing(tree, expected, end);
        while (!tree.stated.isEmpty() && tree.stated.getFirst().pos() < end) {
            Position.Taken takeover = tree.stated.removeFirst().takeover();
            takeovers.putIfAbsent(takeover.generation(), takeover);
        }
        // A generation states its takeover at its fence: where rows from behind it came first, that row is lost.
        Position.Taken unstated = told.get(tree.generation);
        if (unstated != null && tree.coveredRaw > unstated.toOffset()) {
            takeovers.putIfAbsent(unstated.generation(), unstated);
        }
        tree.seenPos = Math.max(tree.seenPos, end);
        tree.nextPos = end;
        tree.nextIndex++;
    }

    private static boolean isLeaf(ProofSegment segment, int index, byte[] hash) {
        ByteString leaves = segment.getLeaves();
        int at = index * TreeHash.BYTES;
        return at + TreeHash.BYTES <= leaves.size()
                && Arrays.equals(leaves.substring(at, at + TreeHash.BYTES).toByteArray(), hash);
    }

    private void missing(Tree tree, long fromPos, long toPos) {
        if (fromPos >= toPos) {
            return;
        }
        PosRange last = missing.isEmpty() ? null : missing.get(missing.size() - 1);
        if (last != null && last.generation() == tree.generation && last.toPos() == fromPos) {
            missing.set(missing.size() - 1, new PosRange(tree.generation, last.fromPos(), toPos));
        } else {
            missing.add(new PosRange(tree.generation, fromPos, toPos));
        }
    }

    private Tree tree(long generation) {
        return trees.computeIfAbsent(generation, g -> new Tree(from.tree(g)));
    }

    /** Where the shard would stand after a cut now. */
    public Position position() {
        long structured = structuredEnd;
        long proof = proofEnd;
        for (Tree tree : trees.values()) {
            if (!tree.leaves.isEmpty()) {
                structured = Math.min(structured, tree.leaves.getFirst().offset());
            }
            if (!tree.segments.isEmpty()) {
                proof = Math.min(proof, tree.segments.getFirst().offset());
            }
        }
        return new Position(
                structured,
                proof,
                trees.values().stream()
                        .filter(tree -> tree.nextIndex > 0)
                        .map(tree -> new Position.Tree(tree.generation, tree.nextIndex, tree.nextPos))
                        .toList(),
                List.copyOf(takeovers.values()));
    }

    /** Whether everything up to the open intent's end is covered. */
    public boolean reached() {
        return target.isPresent()
                && target.get().trees().stream().allMatch(end -> tree(end.generation()).nextIndex >= end.nextIndex());
    }

    /** Whether there is something to cut: segments, or a takeover that no row tells of any more. */
    public boolean hasNews() {
        Position to = position();
        return !from.spansTo(to).isEmpty() || !from.takeovers().equals(to.takeovers());
    }

    /** Rows that the covered segments count and the log did not have. */
    public List<PosRange> missing() {
        return List.copyOf(missing);
    }

    /** Rows of the covered segments that the log had. */
    public long coveredRows() {
        return coveredRows;
    }

    /** Rows whose leaf is not the one that was proved. */
    public long mismatches() {
        return mismatches;
    }

    /** Rows that wait for their segment. */
    public int uncoveredRows() {
        return trees.values().stream().mapToInt(tree -> tree.leaves.size()).sum();
    }

    /**
     * Of these, the rows whose segment can still be expected. What a generation that has ended left in its open segment is not
     * among them: there may be any number of such generations, and their segments never come.
     */
    public int awaitingRows() {
        return trees.values().stream()
                .mapToInt(tree -> known.hasEnded(tree.generation)
                        ? Math.max(0, tree.leaves.size() - OpenSegment.MAX_LEAVES)
                        : tree.leaves.size())
                .sum();
    }

    /** Segments that wait for their rows. */
    public int uncoveredSegments() {
        return trees.values().stream().mapToInt(tree -> tree.segments.size()).sum();
    }

    /** Offset behind the last row that came. */
    public OptionalLong readTo() {
        return structuredEnd == from.structuredOffset() ? OptionalLong.empty() : OptionalLong.of(structuredEnd);
    }
}
