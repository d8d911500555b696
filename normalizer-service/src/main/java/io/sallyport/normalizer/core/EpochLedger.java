package io.sallyport.normalizer.core;

import io.sallyport.envelope.watermark.SeqRange;
import java.util.List;
import java.util.OptionalLong;

/** What is known of one epoch of one sensor. Every change goes through here, so that its parts agree. */
final class EpochLedger {

    /** What a committed seq that was declared before, or whose hole a marker named, means to readers. */
    enum Commit {
        EXPECTED,
        CLOSES_GAP
    }

    private final long epoch;
    private final Holes holes;
    private final DeclaredRanges declared;
    private final HashWindow hashes;
    private boolean committed;
    private boolean changed;

    EpochLedger(long epoch, Holes holes, DeclaredRanges declared, HashWindow hashes) {
        this.epoch = epoch;
        this.holes = holes;
        this.declared = declared;
        this.hashes = hashes;
    }

    long epoch() {
        return epoch;
    }

    Holes holes() {
        return holes;
    }

    DeclaredRanges declared() {
        return declared;
    }

    HashWindow hashes() {
        return hashes;
    }

    /** Whether something was committed during this decision. */
    boolean committed() {
        return committed;
    }

    boolean changed() {
        return changed;
    }

    boolean isOpen(long seq) {
        return holes.isOpen(seq);
    }

    boolean isDeclared(long seq) {
        return declared.contains(seq);
    }

    /** The hash under which a settled seq was committed, while the window holds it. */
    OptionalLong hashOf(long seq) {
        return hashes.get(seq);
    }

    Commit commitOpen(long seq, long hash, long nowMs) {
        changed = true;
        committed = true;
        boolean reported = holes.settle(seq, nowMs);
        hashes.put(seq, hash);
        return reported ? Commit.CLOSES_GAP : Commit.EXPECTED;
    }

    void commitDeclared(long seq, long hash) {
        changed = true;
        committed = true;
        declared.remove(seq);
        hashes.put(seq, hash);
    }

    /** Settles without content whatever of the range is open, and names it. */
    List<SeqRange> declare(long from, long to, long nowMs) {
        List<SeqRange> open = holes.settle(from, to, nowMs);
        for (SeqRange range : open) {
            declared.add(range.from(), range.to());
            changed = true;
        }
        return open;
    }

    void openUpTo(long seq, long nowMs) {
        changed = true;
        holes.openUpTo(seq, nowMs);
    }

    List<SeqRange> finalizeUpTo(long base, long nowMs) {
        if (base <= holes.watermark()) {
            return List.of();
        }
        changed = true;
        return holes.finalizeUpTo(base, nowMs);
    }

    List<SeqRange> reportDue(long nowMs, long sessionStartedMs, Limits limits) {
        return marked(holes.reportDue(nowMs, sessionStartedMs, limits));
    }

    List<SeqRange> reportAll() {
        return marked(holes.reportAll());
    }

    /** Brings everything within its bounds; names the holes that had to be given up and that no marker had named. */
    List<SeqRange> bound(Limits limits) {
        List<SeqRange> given = holes.finalizeBeyond(limits.maxRanges());
        declared.retain(limits.declaredRanges());
        hashes.retain(holes.watermark());
        return given;
    }

    private List<SeqRange> marked(List<SeqRange> ranges) {
        changed |= !ranges.isEmpty();
        return ranges;
    }
}
