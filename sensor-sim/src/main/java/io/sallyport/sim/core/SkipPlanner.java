package io.sallyport.sim.core;

import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.link.Skip;
import org.jspecify.annotations.Nullable;

/** Declares what the sensor no longer holds: the gap in front of its spool, and holes inside; one SKIP per run. */
final class SkipPlanner {
    /**
     * How long a refused event waits for the outcome of its neighbours, so that a contiguous run becomes one SKIP: an
     * event that is taken is not answered on its own.
     */
    private static final long REFUSAL_LINGER_US = 300_000;

    private long gapSentTo;
    private long refusedUs;
    private long sentUs;

    /** Everything above the watermark of ACCEPT that is not held is declared in this session. */
    void sessionStarted(long acceptWatermark) {
        gapSentTo = acceptWatermark;
    }

    void settledUpTo(long watermark) {
        gapSentTo = Math.max(gapSentTo, watermark);
    }

    void refused(long nowUs) {
        refusedUs = nowUs;
    }

    /** The SKIPs of this session that are not settled are sent again where the last is older than this. */
    void resendOlderThan(long thatUs, EventIndex index, long watermark) {
        if (sentUs <= thatUs) {
            index.forgetSentSkips();
            gapSentTo = Math.min(gapSentTo, watermark);
        }
    }

    /** The next SKIP, marked as sent; null where there is none now. */
    @Nullable
    Skip next(long epoch, EventIndex index, boolean lastTriesOut, long nowUs) {
        if (gapSentTo < index.floor()) {
            long from = gapSentTo + 1;
            long to = Math.min(index.floor() - from, LinkLimits.MAX_SKIP_WIDTH - 1) + from;
            gapSentTo = to;
            sentUs = nowUs;
            return new Skip(epoch, from, to, Skip.REASON_EVICTED);
        }
        if (index.holes() == 0) {
            return null;
        }
        boolean refusalsWait = lastTriesOut && nowUs < refusedUs + REFUSAL_LINGER_US;
        for (int offset = 0; offset < index.size(); offset++) {
            if (index.state(offset) == EventIndex.HOLE
                    && !(refusalsWait && index.reason(offset) == Skip.REASON_REFUSED)) {
                return run(epoch, index, offset, nowUs);
            }
        }
        return null;
    }

    private Skip run(long epoch, EventIndex index, int first, long nowUs) {
        int reason = index.reason(first);
        int end = first;
        while (end < index.size()
                && end - first < LinkLimits.MAX_SKIP_WIDTH
                && index.state(end) == EventIndex.HOLE
                && index.reason(end) == reason) {
            index.markSkipSent(end++);
        }
        sentUs = nowUs;
        return new Skip(epoch, index.seq(first), index.seq(end - 1), reason);
    }
}
