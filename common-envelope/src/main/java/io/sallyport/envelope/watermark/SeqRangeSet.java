package io.sallyport.envelope.watermark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A set of sequence numbers as sorted, disjoint ranges that never touch each other. Lookups are logarithmic in the
 * number of ranges. Mutable and not thread-safe: its owner is one session or one decision.
 */
public final class SeqRangeSet {
    private long[] from = new long[4];
    private long[] to = new long[4];
    private int size;

    public static SeqRangeSet of(Iterable<SeqRange> ranges) {
        var set = new SeqRangeSet();
        ranges.forEach(range -> set.add(range.from(), range.to()));
        return set;
    }

    /** Number of ranges, not of sequence numbers. */
    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public SeqRange get(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException(index);
        }
        return new SeqRange(from[index], to[index]);
    }

    public List<SeqRange> ranges() {
        var ranges = new ArrayList<SeqRange>(size);
        for (int i = 0; i < size; i++) {
            ranges.add(new SeqRange(from[i], to[i]));
        }
        return ranges;
    }

    /** Number of sequence numbers in all ranges. */
    public long count() {
        long count = 0;
        for (int i = 0; i < size; i++) {
            count += to[i] - from[i] + 1;
        }
        return count;
    }

    /** The highest sequence number in the set, or 0 where it is empty. */
    public long last() {
        return size == 0 ? 0 : to[size - 1];
    }

    public boolean contains(long seq) {
        int i = firstEndingAtOrAfter(seq);
        return i < size && from[i] <= seq;
    }

    /** Adds one number; false where it was there already. */
    public boolean add(long seq) {
        if (contains(seq)) {
            return false;
        }
        add(seq, seq);
        return true;
    }

    /** Adds a range and joins it with what it overlaps or touches. */
    public void add(long first, long last) {
        if (first < 1 || last < first) {
            throw new IllegalArgumentException("not a range of sequence numbers: " + first + " to " + last);
        }
        // first - 1 cannot overflow, and a range that ends right before `first` is joined.
        int begin = firstEndingAtOrAfter(first - 1);
        int end = begin;
        long newFrom = first;
        long newTo = last;
        while (end < size && (from[end] <= last || from[end] - 1 == last)) {
            newFrom = Math.min(newFrom, from[end]);
            newTo = Math.max(newTo, to[end]);
            end++;
        }
        replace(begin, end, newFrom, newTo);
    }

    /** Takes a range out; numbers that are not in the set do not matter. */
    public void remove(long first, long last) {
        int begin = firstEndingAtOrAfter(first);
        while (begin < size && from[begin] <= last) {
            long f = from[begin];
            long t = to[begin];
            delete(begin, begin + 1);
            if (f < first) {
                insert(begin++, f, first - 1);
            }
            if (t > last) {
                insert(begin, last + 1, t);
                return;
            }
        }
    }

    /** The parts of {@code first} … {@code last} that are not in the set, in order. */
    public List<SeqRange> missingIn(long first, long last) {
        var missing = new ArrayList<SeqRange>();
        long next = first;
        for (int i = firstEndingAtOrAfter(first); i < size && from[i] <= last; i++) {
            if (from[i] > next) {
                missing.add(new SeqRange(next, from[i] - 1));
            }
            if (to[i] >= last) {
                return missing;
            }
            next = to[i] + 1;
        }
        if (next <= last) {
            missing.add(new SeqRange(next, last));
        }
        return missing;
    }

    /** The parts of {@code first} … {@code last} that are in the set, in order. */
    public List<SeqRange> presentIn(long first, long last) {
        var present = new ArrayList<SeqRange>();
        for (int i = firstEndingAtOrAfter(first); i < size && from[i] <= last; i++) {
            present.add(new SeqRange(Math.max(first, from[i]), Math.min(last, to[i])));
        }
        return present;
    }

    /**
     * The highest number such that everything above {@code watermark} up to it is in the set. What lies at or below the
     * result is taken out: a watermark stands for it.
     */
    public long drainContiguous(long watermark) {
        long result = watermark;
        int done = 0;
        while (done < size && from[done] - 1 <= result) {
            result = Math.max(result, to[done]);
            done++;
        }
        delete(0, done);
        return result;
    }

    public SeqRangeSet copy() {
        var copy = new SeqRangeSet();
        copy.from = Arrays.copyOf(from, Math.max(4, size));
        copy.to = Arrays.copyOf(to, Math.max(4, size));
        copy.size = size;
        return copy;
    }

    private int firstEndingAtOrAfter(long seq) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (to[middle] < seq) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void replace(int begin, int end, long newFrom, long newTo) {
        if (begin == end) {
            insert(begin, newFrom, newTo);
        } else {
            from[begin] = newFrom;
            to[begin] = newTo;
            delete(begin + 1, end);
        }
    }

    private void insert(int at, long newFrom, long newTo) {
        if (size == from.length) {
            from = Arrays.copyOf(from, size * 2);
            to = Arrays.copyOf(to, size * 2);
        }
        System.arraycopy(from, at, from, at + 1, size - at);
        System.arraycopy(to, at, to, at + 1, size - at);
        from[at] = newFrom;
        to[at] = newTo;
        size++;
    }

    private void delete(int begin, int end) {
        System.arraycopy(from, end, from, begin, size - end);
        System.arraycopy(to, end, to, begin, size - end);
        size -= end - begin;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SeqRangeSet that && ranges().equals(that.ranges());
    }

    @Override
    public int hashCode() {
        return ranges().hashCode();
    }

    @Override
    public String toString() {
        return ranges().toString();
    }
}
