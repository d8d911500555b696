package io.sallyport.envelope.watermark;

/**
 * Sequence numbers {@code from} … {@code to}, both inclusive.
 *
 * @param from 1 … 2^63 - 1
 * @param to at least {@code from}
 */
public record SeqRange(long from, long to) {

    /** The largest sequence number there is. */
    public static final long MAX_SEQ = Long.MAX_VALUE;

    public SeqRange {
        if (from < 1 || to < from) {
            throw new IllegalArgumentException("not a range of sequence numbers: " + from + " to " + to);
        }
    }

    public static SeqRange of(long seq) {
        return new SeqRange(seq, seq);
    }

    /** How many numbers it holds. */
    public long count() {
        return to - from + 1;
    }

    public boolean contains(long seq) {
        return from <= seq && seq <= to;
    }

    @Override
    public String toString() {
        return from == to ? Long.toString(from) : from + "-" + to;
    }
}
