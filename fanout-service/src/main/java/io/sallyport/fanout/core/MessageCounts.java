package io.sallyport.fanout.core;

import io.sallyport.proto.log.v1.StatusPartial;
import java.util.Collection;

/**
 * How many targets of a message are in which state. {@code planned} is what no router task has taken over yet, so that
 * the states always add up to {@code resolved}; {@code lateAcks} stands beside them.
 */
public record MessageCounts(
        long resolved,
        long planned,
        long pending,
        long inFlight,
        long acked,
        long nacked,
        long expired,
        long superseded,
        long evicted,
        long cancelled,
        long rejected,
        long lateAcks) {

    /** Sums the absolute counts of the router's tasks. */
    public static MessageCounts of(long resolved, Collection<StatusPartial> partials) {
        var sum = new long[10];
        for (StatusPartial partial : partials) {
            sum[0] += partial.getPending();
            sum[1] += partial.getInFlight();
            sum[2] += partial.getAcked();
            sum[3] += partial.getNacked();
            sum[4] += partial.getExpired();
            sum[5] += partial.getSuperseded();
            sum[6] += partial.getEvicted();
            sum[7] += partial.getCancelled();
            sum[8] += partial.getRejected();
            sum[9] += partial.getLateAcks();
        }
        long taken = 0;
        for (int state = 0; state < 9; state++) {
            taken += sum[state];
        }
        return new MessageCounts(
                resolved,
                resolved - taken,
                sum[0],
                sum[1],
                sum[2],
                sum[3],
                sum[4],
                sum[5],
                sum[6],
                sum[7],
                sum[8],
                sum[9]);
    }
}
