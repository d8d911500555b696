package io.sallyport.normalizer.core;

import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.envelope.watermark.SeqRangeSet;
import java.util.List;

/**
 * Seqs that were settled without content, and may still get some. Bounded by giving up the lowest range: what is
 * forgotten is then settled for good, and content that comes for it cannot be told from a resend.
 */
final class DeclaredRanges {
    private final SeqRangeSet ranges;

    DeclaredRanges(SeqRangeSet ranges) {
        this.ranges = ranges;
    }

    boolean contains(long seq) {
        return ranges.contains(seq);
    }

    void add(long from, long to) {
        ranges.add(from, to);
    }

    void remove(long seq) {
        ranges.remove(seq, seq);
    }

    void retain(int max) {
        while (ranges.size() > max) {
            SeqRange lowest = ranges.get(0);
            ranges.remove(lowest.from(), lowest.to());
        }
    }

    List<SeqRange> list() {
        return ranges.ranges();
    }
}
