package io.sallyport.sim.core;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.registry.EventTypes;
import java.util.Arrays;

/**
 * Chooses the events of the next batch, under the window rule: at most max_unacked_events sent and unacknowledged, at
 * most half of them above a number that was never sent; the lowest unsent numbers may always use the rest.
 *
 * <p>All events of a batch have the same flags, since flags belong to the batch.
 */
final class BatchPlanner {

    /** The chosen events, ascending by seq. */
    record Plan(long[] seqs, int blockBytes, int flags, int firstSends) {}

    private static final Plan NONE = new Plan(new long[0], 0, 0, 0);
    private static final int FLAGS_OPEN = -1;

    private final EventIndex index;
    private final boolean prioritySplit;
    /** Everything before these offsets needs no sending in the pass they belong to. */
    private int cursor;

    private int priorityCursor;
    private long[] picked = new long[64];

    BatchPlanner(EventIndex index, boolean prioritySplit) {
        this.index = index;
        this.prioritySplit = prioritySplit;
    }

    static boolean isPriority(int type) {
        return type == EventTypes.PROCESS_START
                || type == EventTypes.NETWORK_CONNECT_IN
                || type == EventTypes.NETWORK_CONNECT_OUT;
    }

    /** The lowest {@code count} numbers left the index. */
    void trimmed(int count) {
        cursor = Math.max(0, cursor - count);
        priorityCursor = Math.max(0, priorityCursor - count);
    }

    /** Something at or above this offset needs sending again. */
    void rewind(int offset) {
        cursor = Math.min(cursor, offset);
        priorityCursor = Math.min(priorityCursor, offset);
    }

    /** Marks the chosen events as in flight; an empty plan where nothing may be sent. */
    Plan next(SessionLimits limits, int codec, long nowUs) {
        if (prioritySplit) {
            Plan urgent = pass(limits, codec, nowUs, true);
            if (urgent.seqs().length > 0) {
                return urgent;
            }
        }
        return pass(limits, codec, nowUs, false);
    }

    /** From the lowest number upward and without regard to priority, as ACK_WINDOW_EXCEEDED asks for. */
    Plan nextAscending(SessionLimits limits, int codec, long nowUs) {
        return pass(limits, codec, nowUs, false);
    }

    private Plan pass(SessionLimits limits, int codec, long nowUs, boolean urgentOnly) {
        int maxBytes = limits.maxBlockBytes(codec);
        int count = 0;
        int bytes = 0;
        int flags = FLAGS_OPEN;
        int firstSends = 0;
        int offset = urgentOnly ? priorityCursor : cursor;
        for (; offset < index.size() && count < limits.maxBatchEvents(); offset++) {
            if (!index.needsSend(offset) || (urgentOnly && !isPriority(index.type(offset)))) {
                continue;
            }
            int eventFlags = flags(offset);
            int eventBytes = EventCursor.HEADER_BYTES + index.payloadBytes(offset);
            boolean first = !index.wasSent(offset);
            if ((flags != FLAGS_OPEN && flags != eventFlags)
                    || (count > 0 && bytes + eventBytes > maxBytes)
                    || (first && !windowAllows(offset, limits.maxUnackedEvents()))) {
                break;
            }
            flags = eventFlags;
            bytes += eventBytes;
            firstSends += index.wasEverSent(offset) ? 0 : 1;
            index.markInFlight(offset, nowUs);
            pick(count++, index.seq(offset));
        }
        if (urgentOnly) {
            priorityCursor = offset;
        } else {
            cursor = offset;
        }
        return count == 0 ? NONE : new Plan(Arrays.copyOf(picked, count), bytes, flags, firstSends);
    }

    private boolean windowAllows(int offset, int maxUnacked) {
        if (index.isFirstUnsent(offset)) {
            // Where nothing below it is out, only this event can move the watermark, whatever an earlier, wider
            // window has left out there.
            return index.sent() < maxUnacked || index.sent() == index.sentAboveFirstUnsent();
        }
        return index.sent() < maxUnacked && index.sentAboveFirstUnsent() < maxUnacked / 2;
    }

    private int flags(int offset) {
        return (index.isReplay(offset) ? BatchHeader.FLAG_REPLAY : 0)
                | (index.isRenumbered(offset) ? BatchHeader.FLAG_RENUMBERED : 0);
    }

    private void pick(int at, long seq) {
        if (at == picked.length) {
            picked = Arrays.copyOf(picked, at * 2);
        }
        picked[at] = seq;
    }
}
