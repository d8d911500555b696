package io.sallyport.normalizer.core;

import io.sallyport.envelope.watermark.SeqRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Which seqs of one epoch are settled: every one up to {@code top} that lies in no hole. The watermark and the ranges
 * above it follow from the holes, so they cannot disagree.
 */
final class Holes {

    /** A run of open seqs below a settled one. */
    static final class Hole {
        private long from;
        private long to;
        private long touchedMs;
        private boolean reported;

        Hole(long from, long to, long touchedMs, boolean reported) {
            this.from = from;
            this.to = to;
            this.touchedMs = touchedMs;
            this.reported = reported;
        }

        long from() {
            return from;
        }

        long to() {
            return to;
        }

        /** Append time of the record that made or last shrank it. */
        long touchedMs() {
            return touchedMs;
        }

        /** A marker names it already. */
        boolean reported() {
            return reported;
        }
    }

    private final ArrayList<Hole> holes;
    private long top;

    Holes(long top, List<Hole> holes) {
        this.top = top;
        this.holes = new ArrayList<>(holes);
    }

    long top() {
        return top;
    }

    List<Hole> list() {
        return holes;
    }

    /** Everything at or below it is settled. */
    long watermark() {
        return holes.isEmpty() ? top : holes.get(0).from - 1;
    }

    boolean isOpen(long seq) {
        return seq > top || containing(seq) >= 0;
    }

    boolean hasUnreported() {
        for (Hole hole : holes) {
            if (!hole.reported) {
                return true;
            }
        }
        return false;
    }

    /** Settles one open seq; true where a marker had named its hole. */
    boolean settle(long seq, long nowMs) {
        if (seq > top) {
            openUpTo(seq - 1, nowMs);
            top = seq;
            return false;
        }
        int at = containing(seq);
        if (at < 0) {
            throw new IllegalArgumentException("settled already: " + seq);
        }
        Hole hole = holes.get(at);
        hole.touchedMs = nowMs;
        if (hole.from == hole.to) {
            holes.remove(at);
        } else if (seq == hole.from) {
            hole.from++;
        } else if (seq == hole.to) {
            hole.to--;
        } else {
            holes.add(at + 1, new Hole(seq + 1, hole.to, nowMs, hole.reported));
            hole.to = seq - 1;
        }
        return hole.reported;
    }

    /** Settles whatever of a range is open, and names it. */
    List<SeqRange> settle(long from, long to, long nowMs) {
        var settled = new ArrayList<SeqRange>();
        int at = firstEndingAtOrAfter(from);
        while (at < holes.size() && holes.get(at).from <= to) {
            Hole hole = holes.remove(at);
            long first = Math.max(hole.from, from);
            long last = Math.min(hole.to, to);
            settled.add(new SeqRange(first, last));
            if (hole.from < first) {
                holes.add(at++, new Hole(hole.from, first - 1, nowMs, hole.reported));
            }
            if (hole.to > last) {
                holes.add(at++, new Hole(last + 1, hole.to, nowMs, hole.reported));
            }
        }
        if (to > top) {
            long first = Math.max(from, top + 1);
            openUpTo(first - 1, nowMs);
            settled.add(new SeqRange(first, to));
            top = to;
        }
        return settled;
    }

    /** Makes everything up to {@code seq} that was never heard of a hole. */
    void openUpTo(long seq, long nowMs) {
        if (seq > top) {
            holes.add(new Hole(top + 1, seq, nowMs, false));
            top = seq;
        }
    }

    /** Gives up every hole at or below {@code base}; names what no marker had named. */
    List<SeqRange> finalizeUpTo(long base, long nowMs) {
        openUpTo(base, nowMs);
        var given = new ArrayList<SeqRange>();
        int done = 0;
        while (done < holes.size() && holes.get(done).from <= base) {
            Hole hole = holes.get(done);
            if (!hole.reported) {
                given.add(new SeqRange(hole.from, Math.min(hole.to, base)));
            }
            if (hole.to > base) {
                hole.from = base + 1;
                break;
            }
            done++;
        }
        holes.subList(0, done).clear();
        return given;
    }

    /** Gives up the lowest holes until at most {@code max} are left; names what no marker had named. */
    List<SeqRange> finalizeBeyond(int max) {
        int over = Math.max(0, holes.size() - max);
        var given = new ArrayList<SeqRange>();
        for (Hole hole : holes.subList(0, over)) {
            if (!hole.reported) {
                given.add(new SeqRange(hole.from, hole.to));
            }
        }
        holes.subList(0, over).clear();
        return given;
    }

    /**
     * Marks and names the holes whose grace is over.
     *
     * @param sessionStartedMs append time of the current session's first record, which restarts the grace
     */
    List<SeqRange> reportDue(long nowMs, long sessionStartedMs, Limits limits) {
        var due = new ArrayList<SeqRange>();
        for (Hole hole : holes) {
            long deadlineMs = Math.min(
                    Math.max(hole.touchedMs, sessionStartedMs) + limits.gapGraceMs(),
                    hole.touchedMs + limits.gapGraceMaxMs());
            if (!hole.reported && nowMs > deadlineMs) {
                hole.reported = true;
                due.add(new SeqRange(hole.from, hole.to));
            }
        }
        return due;
    }

    /** Marks and names every hole that no marker had named. */
    List<SeqRange> reportAll() {
        var all = new ArrayList<SeqRange>();
        for (Hole hole : holes) {
            if (!hole.reported) {
                hole.reported = true;
                all.add(new SeqRange(hole.from, hole.to));
            }
        }
        return all;
    }

    private int containing(long seq) {
        int at = firstEndingAtOrAfter(seq);
        return at < holes.size() && holes.get(at).from <= seq ? at : -1;
    }

    private int firstEndingAtOrAfter(long seq) {
        int low = 0;
        int high = holes.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (holes.get(middle).to < seq) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
