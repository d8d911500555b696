package io.sallyport.export.core;

import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Brings together the rows of a shard and the segments that prove them, and so finds where a range may be cut. Rows arrive
 * in order of pos, segments in order of index; which of them comes first does not matter. A segment is covered once every
 * row that it counts has come, or was passed: the log does not have that one any more. What is no row of a segment is not
 * taken, see {@link TreeMatch}.
 */
public final class SegmentMatcher {
    private final Position from;
    private final Optional<Position> target;
    private final SortedMap<Long, TreeMatch> trees = new TreeMap<>();
    private final List<PosRange> missing = new ArrayList<>();
    private final List<PosRange> holes = new ArrayList<>();
    private final SortedMap<Long, Position.Taken> takeovers = new TreeMap<>();
    private final SortedMap<Long, Position.Taken> told = new TreeMap<>();
    private KnownGenerations known = KnownGenerations.FIRST;
    private int shard;
    private long structuredEnd;
    private long proofEnd;
    private long coveredRows;
    private boolean rowsEnded;
    /** Where the log begins, and how far it was read when that was asked; -1 before it was. */
    private long begins = -1;

    private long beginsAsOf = -1;
    private boolean wantsBeginning;
    private boolean cutShort;

    /**
     * A record of the log that is no row of its segment.
     *
     * @param generation that it says
     */
    public record Foreign(long offset, long generation, long pos) {}

    /**
     * @param from where the shard stands
     * @param target where an open intent ends; segments behind it are left alone
     */
    public SegmentMatcher(Position from, Optional<Position> target) {
        this.from = from;
        this.target = target;
        this.structuredEnd = from.structuredOffset();
        this.proofEnd = from.proofOffset();
        from.trees().forEach(tree -> tree(tree.generation()));
        from.takeovers().forEach(taken -> takeovers.put(taken.generation(), taken));
    }

    /**
     * The next row of the log.
     *
     * @param rawOffset of the raw record it came from
     * @param leaf its leaf hash
     * @param takeover that it states; it counts once the row's segment is covered
     * @return whether it may belong to the range; false for a row that was exported already, and for one that is none
     */
    public boolean row(
            long offset, long generation, long pos, long rawOffset, byte[] leaf, Optional<Position.Taken> takeover) {
        structuredEnd = offset + 1;
        return tree(generation).row(new TreeMatch.Leaf(offset, pos, rawOffset, leaf, takeover, null));
    }

    /** Whether a row that was taken is the one that its segment has; to be asked once its segment is covered. */
    public boolean isProved(long generation, long pos, Supplier<byte[]> leaf) {
        return tree(generation).isProved(pos, leaf);
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
                || trees.values().stream().anyMatch(tree -> tree.leaves() > 0 && known.hasEnded(tree.generation()));
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
        for (TreeMatch tree : trees.values()) {
            if (known.hasEnded(tree.generation())) {
                left += tree.leaveOut(
                        leaf -> current.of(tree.generation(), leaf.rawOffset()) != CurrentRecords.Standing.CURRENT);
            }
        }
        return left;
    }

    /** Rows that are current, and that no segment will ever have; to be asked after {@link #settle}. */
    public int unprovable() {
        return trees.values().stream()
                .filter(tree -> known.hasEnded(tree.generation()))
                .mapToInt(TreeMatch::leaves)
                .sum();
    }

    /** Whether rows wait that name a generation which was never begun, as far as is known. */
    public boolean hasStrangers() {
        return trees.values().stream().anyMatch(tree -> tree.leaves() > 0 && !known.hasBegun(tree.generation()));
    }

    /**
     * What is known of the generations was read after everything below an offset: a generation that it does not have begun by then
     * did not write there.
     */
    public void disown(long below) {
        for (TreeMatch tree : trees.values()) {
            if (!known.hasBegun(tree.generation())) {
                tree.refuse(leaf -> leaf.offset() < below);
            }
        }
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
        tree(Integer.toUnsignedLong(segment.getGeneration())).segment(offset, segment);
    }

    /** The log was read to its end: a row that did not come by now will not come. */
    public void rowsEnded() {
        rowsEnded = true;
    }

    /** Whether {@link #beginsAt} is needed: rows did not come, and what that means depends on where the log begins. */
    public boolean wantsBeginning() {
        return wantsBeginning;
    }

    /** The first offset that the log still has. */
    public void beginsAt(long offset) {
        begins = offset;
        beginsAsOf = structuredEnd;
        wantsBeginning = false;
    }

    /**
     * Whether retention took rows from the middle of what was read. The range ends before them, so that what is missing always
     * stands at the beginning of a range.
     */
    public boolean isCutShort() {
        return cutShort;
    }

    /** Segments whose rows are all here, each once, in order. */
    public List<ProofSegment> covered() {
        var covered = new ArrayList<ProofSegment>();
        wantsBeginning = false;
        cutShort = false;
        for (TreeMatch tree : trees.values()) {
            long end = target.map(to -> to.tree(tree.generation()).nextIndex()).orElse(Long.MAX_VALUE);
            while (tree.nextIndex() < end) {
                Optional<TreeMatch.Waiting> next = next(tree);
                if (next.isEmpty() || !cover(tree, next.get())) {
                    break;
                }
                covered.add(next.get().segment());
            }
        }
        if (trees.values().stream().allMatch(tree -> tree.waitingSegments() == 0)) {
            rowsEnded = false;
        }
        return covered;
    }

    private Optional<TreeMatch.Waiting> next(TreeMatch tree) {
        Optional<TreeMatch.Waiting> next = tree.next(rowsEnded);
        if (next.isPresent()) {
            return next;
        }
        Optional<TreeMatch.Waiting> before = tree.before();
        if (before.isPresent() && begins < 0) {
            wantsBeginning = true;
        }
        return begins > from.structuredOffset() ? before : Optional.empty();
    }

    /** @return false where it must not be covered now */
    private boolean cover(TreeMatch tree, TreeMatch.Waiting next) {
        var gone = new ArrayList<PosRange>();
        var gaps = new ArrayList<PosRange>();
        long goneTo = goneTo(tree);
        for (TreeMatch.Gap gap : tree.gaps(next)) {
            boolean retention = begins > gap.afterOffset() + 1;
            if (!retention && beginsAsOf != structuredEnd) {
                wantsBeginning = true;
                return false;
            }
            if (retention && gap.fromPos() != goneTo) {
                cutShort = true;
                return false;
            }
            (retention ? gone : gaps).add(new PosRange(tree.generation(), gap.fromPos(), gap.toPos()));
            goneTo = retention ? gap.toPos() : goneTo;
        }
        gone.forEach(range -> add(missing, range));
        gaps.forEach(range -> add(holes, range));
        coveredRows += next.matched();
        next.takeovers().forEach(takeover -> takeovers.putIfAbsent(takeover.generation(), takeover));
        tree.cover(next);
        // A generation states its takeover at its fence: where rows from behind it came first, that row is lost.
        Position.Taken unstated = told.get(tree.generation());
        if (unstated != null && tree.coveredRaw() > unstated.toOffset()) {
            takeovers.putIfAbsent(unstated.generation(), unstated);
        }
        return true;
    }

    /** Up to where nothing of a generation is left, from the beginning of the range. */
    private long goneTo(TreeMatch tree) {
        return missing.stream()
                .filter(range -> range.generation() == tree.generation())
                .mapToLong(PosRange::toPos)
                .max()
                .orElse(tree.fromPos());
    }

    private static void add(List<PosRange> ranges, PosRange next) {
        PosRange last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
        if (last != null && last.generation() == next.generation() && last.toPos() == next.fromPos()) {
            ranges.set(ranges.size() - 1, new PosRange(next.generation(), last.fromPos(), next.toPos()));
        } else {
            ranges.add(next);
        }
    }

    private TreeMatch tree(long generation) {
        return trees.computeIfAbsent(generation, g -> new TreeMatch(from.tree(g), from.structuredOffset()));
    }

    /** Where the shard would stand after a cut now. */
    public Position position() {
        long structured = structuredEnd;
        long proof = proofEnd;
        for (TreeMatch tree : trees.values()) {
            structured = Math.min(structured, tree.structuredOffset());
            proof = Math.min(proof, tree.proofOffset());
        }
        return new Position(
                structured,
                proof,
                trees.values().stream()
                        .filter(tree -> tree.nextIndex() > 0)
                        .map(tree -> new Position.Tree(tree.generation(), tree.nextIndex(), tree.nextPos()))
                        .toList(),
                List.copyOf(takeovers.values()));
    }

    /** Whether everything up to the open intent's end is covered. */
    public boolean reached() {
        return target.isPresent()
                && target.get().trees().stream()
                        .allMatch(end -> tree(end.generation()).nextIndex() >= end.nextIndex());
    }

    /** Whether there is something to cut: segments, or a takeover that no row tells of any more. */
    public boolean hasNews() {
        return trees.values().stream().anyMatch(TreeMatch::hasCovered)
                || !from.takeovers().equals(List.copyOf(takeovers.values()));
    }

    /** Rows that the covered segments count and retention took: what stood first in the range. */
    public List<PosRange> missing() {
        return List.copyOf(missing);
    }

    /** Rows that the covered segments count and the log did not have either, although retention was not there yet. */
    public List<PosRange> holes() {
        return List.copyOf(holes);
    }

    /** Rows of the covered segments that the log had. */
    public long coveredRows() {
        return coveredRows;
    }

    /**
     * Records below an offset that are no rows of their segments.
     *
     * @param below where the next range begins to read: so each is told once
     */
    public List<Foreign> foreign(long below) {
        return trees.values().stream()
                .flatMap(tree ->
                        tree.foreign().stream().map(leaf -> new Foreign(leaf.offset(), tree.generation(), leaf.pos())))
                .filter(foreign -> foreign.offset() >= from.structuredOffset() && foreign.offset() < below)
                .sorted(Comparator.comparingLong(Foreign::offset))
                .toList();
    }

    /** Rows that wait for their segment, or with it for others. */
    public int uncoveredRows() {
        return trees.values().stream()
                .mapToInt(tree -> tree.leaves() + tree.waitingRows())
                .sum();
    }

    /**
     * Of these, the rows whose segment can still be expected. What a generation that has ended left in its open segment is not
     * among them: there may be any number of such generations, and their segments never come. Nor are rows far from what is
     * proved, where nothing is gone before them: they may be nobody's.
     */
    public int awaitingRows() {
        boolean gone = mayBeGone();
        return trees.values().stream()
                .mapToInt(tree -> {
                    int awaiting = tree.awaiting(gone);
                    return known.hasEnded(tree.generation())
                            ? Math.max(0, awaiting - OpenSegment.MAX_LEAVES)
                            : awaiting;
                })
                .sum();
    }

    /** Of the rows without a segment, those that are far from what is proved, where nothing is gone before them. */
    public int strayRows() {
        boolean gone = mayBeGone();
        return trees.values().stream()
                .mapToInt(tree -> tree.leaves() - tree.awaiting(gone))
                .sum();
    }

    private boolean mayBeGone() {
        return begins < 0 || begins > from.structuredOffset();
    }

    /** Segments that wait for their rows. */
    public int uncoveredSegments() {
        return trees.values().stream().mapToInt(TreeMatch::waitingSegments).sum();
    }

    /** Offset behind the last record that came. */
    public long readTo() {
        return structuredEnd;
    }
}
