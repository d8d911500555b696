package io.sallyport.export.core;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One generation of a shard: its rows that wait for their segment, and its segments that wait for their rows. A row counts
 * where its segment has its leaf at its pos, and nowhere else; so what somebody else writes to the log moves nothing.
 */
final class TreeMatch {
    /** Where a row is further from what is proved, its segment is not the next to come: it is nobody's, or rows are gone. */
    private static final long AHEAD = 1 << 17;
    /** Rows that must agree that the log begins behind a segment, and segments for which they are not asked. */
    private static final int QUORUM = 16;

    private static final int HELD = 32;
    private static final byte[] NONE = {};

    private final Position.Tree from;
    private final NavigableMap<Long, Leaf> leaves = new TreeMap<>();
    private final NavigableMap<Long, Waiting> segments = new TreeMap<>();
    /** Where rows were added that are not the segment's: the leaf that is, or nothing as long as it did not come. */
    private final Map<Long, byte[]> contested = new HashMap<>();

    private final List<Leaf> foreign = new ArrayList<>();
    /** Rows of places that were exported before this range, behind others. */
    private final List<Leaf> old = new ArrayList<>();

    private long nextIndex;
    private long nextPos;
    private long awaitedIndex;
    private long firstMatched = Long.MAX_VALUE;
    private @Nullable Leaf lastMatched;
    /** Offset of the last row that was covered. */
    private long coveredOffset;

    private long coveredRaw = -1;
    private boolean disordered;

    /** A row, as far as matching needs it. */
    record Leaf(
            long offset,
            long pos,
            long rawOffset,
            @SuppressWarnings("ArrayRecordComponent") byte[] hash,
            Optional<Position.Taken> takeover,
            @Nullable Leaf other) {}

    /**
     * Rows that a segment counts and the log did not have.
     *
     * @param afterOffset of the row before them
     */
    record Gap(long fromPos, long toPos, long afterOffset) {}

    /** A segment with the rows that are its own. */
    static final class Waiting {
        private final long offset;
        private final ProofSegment segment;
        /** Offsets of its rows; -1 for those that did not come. */
        private final long[] offsets;

        private final List<Position.Taken> takeovers = new ArrayList<>();
        private int matched;
        private long raw = -1;
        private long firstOffset = Long.MAX_VALUE;

        private Waiting(long offset, ProofSegment segment) {
            this.offset = offset;
            this.segment = segment;
            this.offsets = new long[segment.getCount()];
            Arrays.fill(offsets, -1);
        }

        private long end() {
            return segment.getFirstPos() + segment.getCount();
        }

        private boolean takes(Leaf leaf) {
            int index = (int) (leaf.pos - segment.getFirstPos());
            return offsets[index] < 0 && isLeaf(index, leaf.hash);
        }

        private boolean isLeaf(int index, byte[] hash) {
            ByteString all = segment.getLeaves();
            int at = index * TreeHash.BYTES;
            return at + TreeHash.BYTES <= all.size()
                    && all.substring(at, at + TreeHash.BYTES).equals(ByteString.copyFrom(hash));
        }

        private void take(Leaf leaf) {
            offsets[(int) (leaf.pos - segment.getFirstPos())] = leaf.offset;
            matched++;
            raw = Math.max(raw, leaf.rawOffset);
            firstOffset = Math.min(firstOffset, leaf.offset);
            leaf.takeover.ifPresent(takeovers::add);
        }

        ProofSegment segment() {
            return segment;
        }

        int matched() {
            return matched;
        }

        List<Position.Taken> takeovers() {
            return takeovers;
        }

        boolean isFull() {
            return matched == offsets.length;
        }
    }

    TreeMatch(Position.Tree from, long structuredOffset) {
        this.from = from;
        nextIndex = from.nextIndex();
        awaitedIndex = nextIndex;
        nextPos = from.nextPos();
        coveredOffset = structuredOffset - 1;
    }

    long generation() {
        return from.generation();
    }

    /** @return whether the row may be one of its segment's */
    boolean row(Leaf leaf) {
        if (leaf.pos < nextPos) {
            if (leaf.pos >= from.nextPos()) {
                foreign.add(leaf);
            } else if (lastMatched != null || !leaves.isEmpty()) {
                old.add(leaf);
            }
            return false;
        }
        Map.Entry<Long, Waiting> at = segments.floorEntry(leaf.pos);
        if (at != null && leaf.pos < at.getValue().end()) {
            if (!at.getValue().takes(leaf)) {
                foreign.add(leaf);
                return false;
            }
            match(at.getValue(), leaf);
            disordered |= !leaves.isEmpty();
            refute();
            return true;
        }
        Leaf there = leaves.get(leaf.pos);
        for (Leaf other = there; other != null; other = other.other) {
            if (Arrays.equals(other.hash, leaf.hash)) {
                foreign.add(leaf);
                return false;
            }
        }
        disordered |= !leaves.isEmpty() && leaf.pos < leaves.lastKey();
        leaves.put(leaf.pos, new Leaf(leaf.offset, leaf.pos, leaf.rawOffset, leaf.hash, leaf.takeover, there));
        return true;
    }

    /** @throws IllegalStateException where a segment is left out, or does not follow the one before */
    void segment(long offset, ProofSegment segment) {
        if (segment.getIndex() < awaitedIndex) {
            return;
        }
        long firstPos = provedPos();
        if (segment.getIndex() != awaitedIndex || segment.getFirstPos() != firstPos || segment.getCount() < 1) {
            throw new IllegalStateException("proof of generation " + generation() + ": expected segment "
                    + awaitedIndex + " at pos " + firstPos + ", found " + segment.getIndex() + " at pos "
                    + segment.getFirstPos());
        }
        var waiting = new Waiting(offset, segment);
        segments.put(firstPos, waiting);
        awaitedIndex++;
        NavigableMap<Long, Leaf> its = leaves.subMap(firstPos, true, waiting.end(), false);
        for (Leaf first : its.values()) {
            Leaf own = null;
            for (Leaf leaf = first; leaf != null; leaf = leaf.other) {
                if (own == null && waiting.takes(leaf)) {
                    own = leaf;
                } else {
                    refuse(leaf);
                }
            }
            if (own != null) {
                match(waiting, own);
            }
        }
        its.clear();
        refute();
    }

    private void match(Waiting waiting, Leaf leaf) {
        waiting.take(leaf);
        contested.computeIfPresent(leaf.pos, (pos, none) -> leaf.hash);
        firstMatched = Math.min(firstMatched, leaf.offset);
        if (lastMatched == null || leaf.pos > lastMatched.pos) {
            lastMatched = leaf;
        }
    }

    /** Rows stand in the log in order of pos: one before a row of the proof, with a higher pos, is not of it. */
    private void refute() {
        Leaf last = lastMatched;
        if (disordered && last != null) {
            refuse(leaf -> leaf.pos > last.pos && leaf.offset < last.offset);
            disordered = !leaves.isEmpty();
        }
    }

    /** Takes back what {@link #row} took. */
    int refuse(Predicate<Leaf> which) {
        int before = foreign.size();
        for (Leaf first : List.copyOf(leaves.values())) {
            Leaf kept = null;
            for (Leaf leaf = first; leaf != null; leaf = leaf.other) {
                if (which.test(leaf)) {
                    refuse(leaf);
                } else {
                    kept = new Leaf(leaf.offset, leaf.pos, leaf.rawOffset, leaf.hash, leaf.takeover, kept);
                }
            }
            if (kept == null) {
                leaves.remove(first.pos);
            } else {
                leaves.put(first.pos, kept);
            }
        }
        return foreign.size() - before;
    }

    private void refuse(Leaf leaf) {
        foreign.add(leaf);
        contested.putIfAbsent(leaf.pos, NONE);
    }

    /** Leaves out rows that no segment will have, without a word against them. */
    int leaveOut(Predicate<Leaf> which) {
        int left = refuse(which);
        foreign.subList(foreign.size() - left, foreign.size()).clear();
        return left;
    }

    /** The next segment, if all of its rows came, or those that did not will not come. */
    Optional<Waiting> next(boolean rowsEnded) {
        Map.Entry<Long, Waiting> first = segments.firstEntry();
        if (first == null) {
            return Optional.empty();
        }
        Waiting next = first.getValue();
        boolean passed = lastMatched != null && lastMatched.pos >= next.end();
        return next.isFull() || passed || rowsEnded ? Optional.of(next) : Optional.empty();
    }

    /**
     * The next segment, if the log begins behind it, as far as its rows tell: many segments may go by before the first one with a
     * row, and they cannot all be held.
     */
    Optional<Waiting> before() {
        return lastMatched == null
                        && segments.size() > HELD
                        && leaves.size() >= QUORUM
                        && leaves.firstKey() >= segments.firstEntry().getValue().end()
                ? Optional.of(segments.firstEntry().getValue())
                : Optional.empty();
    }

    /** Rows of a segment that did not come, in order. */
    List<Gap> gaps(Waiting waiting) {
        var gaps = new ArrayList<Gap>();
        long after = coveredOffset;
        long expected = 0;
        for (int i = 0; i <= waiting.offsets.length; i++) {
            boolean end = i == waiting.offsets.length;
            if (!end && waiting.offsets[i] < 0) {
                continue;
            }
            if (i > expected) {
                long first = waiting.segment.getFirstPos();
                gaps.add(new Gap(first + expected, first + i, after));
            }
            if (!end) {
                after = waiting.offsets[i];
                expected = i + 1L;
            }
        }
        return gaps;
    }

    /** The next segment is done with. */
    void cover(Waiting waiting) {
        segments.remove(waiting.segment.getFirstPos());
        coveredRaw = Math.max(coveredRaw, waiting.raw);
        for (long offset : waiting.offsets) {
            coveredOffset = Math.max(coveredOffset, offset);
        }
        nextPos = waiting.end();
        nextIndex++;
    }

    /** Whether a row that was taken is the one of its segment, where that is not clear; {@code leaf} is asked for then. */
    boolean isProved(long pos, Supplier<byte[]> leaf) {
        byte[] own = contested.get(pos);
        return own == null || Arrays.equals(own, leaf.get());
    }

    /** Rows below it have a segment that came. */
    long provedPos() {
        return segments.isEmpty() ? nextPos : segments.lastEntry().getValue().end();
    }

    long nextIndex() {
        return nextIndex;
    }

    long nextPos() {
        return nextPos;
    }

    boolean hasCovered() {
        return nextIndex > from.nextIndex();
    }

    long fromPos() {
        return from.nextPos();
    }

    /** Highest raw offset of a covered row; -1 before there is one. */
    long coveredRaw() {
        return coveredRaw;
    }

    /** Records that are not the rows of their places. */
    List<Leaf> foreign() {
        var all = new ArrayList<>(foreign);
        // Rows that were exported are read again, but not behind new ones.
        old.stream().filter(leaf -> leaf.offset > firstMatched).forEach(all::add);
        return all;
    }

    /** Rows without a segment. */
    int leaves() {
        return leaves.size();
    }

    /**
     * Of these, those whose segment is among the next to come.
     *
     * @param gone whether rows before the first one may be gone: then its segment is a long way off
     */
    int awaiting(boolean gone) {
        return gone && lastMatched == null
                ? leaves.size()
                : leaves.headMap(provedPos() + AHEAD).size();
    }

    int waitingSegments() {
        return segments.size();
    }

    /** Rows of segments that wait for others. */
    int waitingRows() {
        return segments.values().stream().mapToInt(waiting -> waiting.matched).sum();
    }

    /** First offset of a row that is not covered. */
    long structuredOffset() {
        long least = Long.MAX_VALUE;
        for (Leaf first : leaves.values()) {
            for (Leaf leaf = first; leaf != null; leaf = leaf.other) {
                least = Math.min(least, leaf.offset);
            }
        }
        for (Waiting waiting : segments.values()) {
            least = Math.min(least, waiting.firstOffset);
        }
        return least;
    }

    /** Offset of the first segment that is not covered. */
    long proofOffset() {
        return segments.isEmpty() ? Long.MAX_VALUE : segments.firstEntry().getValue().offset;
    }
}
