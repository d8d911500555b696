package io.sallyport.session.core;

import java.util.Arrays;

/**
 * Collects sequence numbers in the order of a block as runs of consecutive ones; a block in seq order is one run. Used
 * again for every batch of its owner, so that an event costs no object.
 */
final class SeqRuns {
    private long[] bounds = new long[16];
    private int count;

    void clear() {
        count = 0;
    }

    void add(long seq) {
        if (count > 0 && bounds[2 * count - 1] != Long.MAX_VALUE && bounds[2 * count - 1] + 1 == seq) {
            bounds[2 * count - 1] = seq;
        } else {
            add(seq, seq);
        }
    }

    void add(long from, long to) {
        if (2 * count == bounds.length) {
            bounds = Arrays.copyOf(bounds, 2 * bounds.length);
        }
        bounds[2 * count] = from;
        bounds[2 * count + 1] = to;
        count++;
    }

    /** Number of runs. */
    int count() {
        return count;
    }

    /** from, to, from, to, … */
    long[] toBounds() {
        return Arrays.copyOf(bounds, 2 * count);
    }
}
