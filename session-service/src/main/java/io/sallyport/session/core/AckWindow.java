package io.sallyport.session.core;

import io.sallyport.envelope.watermark.SeqRangeSet;
import java.util.ArrayDeque;

/**
 * What one session may acknowledge: the contiguous watermark, the durable ranges above it, and the ranges that are on
 * their way into the log. The watermark never falls and never passes a hole (sensor link, section 5).
 *
 * <p>Ranges are counted as they will stand once everything in flight is durable: one that touches the watermark becomes
 * part of it, so a sensor that sends from watermark + 1 upward is never refused.
 */
public final class AckWindow {

    /** Ranges of one record on its way into the log. */
    public static final class InFlight {
        private final long[] bounds;

        private InFlight(long[] bounds) {
            this.bounds = bounds;
        }
    }

    private final int maxRanges;
    private final ArrayDeque<InFlight> inFlight = new ArrayDeque<>();
    private final SeqRangeSet durable = new SeqRangeSet();
    /** Durable and in flight together, above the watermark. */
    private SeqRangeSet claimed = new SeqRangeSet();

    private long watermark;

    /**
     * @param baseWatermark Accept.watermark of the session
     * @param maxRanges most ranges above the watermark for a batch to add one
     */
    public AckWindow(long baseWatermark, int maxRanges) {
        this.watermark = baseWatermark;
        this.maxRanges = maxRanges;
    }

    public long watermark() {
        return watermark;
    }

    /** Nothing is in flight. */
    public boolean isSettled() {
        return inFlight.isEmpty();
    }

    /** Ranges above the watermark once everything in flight is durable. */
    public int rangesAbove() {
        return rangesAbove(claimed);
    }

    /**
     * Takes a record in, unless it would add a range beyond {@code limitFactor} times the limit.
     *
     * @return false where it is refused; nothing has changed then. Otherwise {@link #enter} must follow
     */
    boolean hasRoomFor(SeqRuns runs, int limitFactor) {
        int limit = maxRanges * limitFactor;
        if (claimed.size() + runs.count() <= limit) {
            return true;
        }
        SeqRangeSet trial = claimed.copy();
        addAbove(trial, runs.toBounds());
        int after = rangesAbove(trial);
        return after <= limit || after <= rangesAbove(claimed);
    }

    /** The record is on its way into the log. */
    InFlight enter(SeqRuns runs) {
        var entry = new InFlight(runs.toBounds());
        addAbove(claimed, entry.bounds);
        inFlight.add(entry);
        return entry;
    }

    /** The record is durable on all in-sync replicas. */
    void confirm(InFlight entry) {
        leave(entry);
        addAbove(durable, entry.bounds);
        long moved = durable.drainContiguous(watermark);
        if (moved != watermark) {
            watermark = moved;
            claimed.remove(1, watermark);
        }
    }

    /** The record is not known to be in the log: what it alone covered is open again. */
    void fail(InFlight entry) {
        leave(entry);
        claimed = durable.copy();
        for (InFlight other : inFlight) {
            addAbove(claimed, other.bounds);
        }
    }

    private void leave(InFlight entry) {
        if (!inFlight.remove(entry)) {
            throw new IllegalStateException("an outcome for a record that is not in flight");
        }
    }

    private int rangesAbove(SeqRangeSet ranges) {
        boolean touches = watermark != Long.MAX_VALUE && ranges.contains(watermark + 1);
        return ranges.size() - (touches ? 1 : 0);
    }

    private void addAbove(SeqRangeSet ranges, long[] bounds) {
        for (int i = 0; i < bounds.length; i += 2) {
            if (bounds[i + 1] > watermark) {
                ranges.add(Math.max(bounds[i], watermark + 1), bounds[i + 1]);
            }
        }
    }
}
