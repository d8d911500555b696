package io.sallyport.router.core;

import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.TargetState;

/**
 * A message that waits for its sensor, or for the sensor's answer.
 *
 * @param message as fan-out wrote it
 * @param handling how its type is treated, fixed when the entry was accepted
 * @param pushes what was sent of it so far
 * @param withdrawal why it must not be sent again, though an answer still counts
 */
public record Entry(QueueEntry message, Handling handling, Pushes pushes, Withdrawal withdrawal) {

    /**
     * How entries of a message type are treated.
     *
     * @param lane lower first; 0 is the urgent one
     * @param evictable whether a full queue may drop it
     * @param group entries of one group coalesce to the newest; empty: never
     */
    public record Handling(int lane, boolean evictable, String group) {}

    /**
     * What was sent of an entry.
     *
     * @param total over all sessions; 0 = it is still pending
     * @param attempts in the session of the last push
     * @param sessionId of the last push
     * @param lastUs time of the last push
     */
    public record Pushes(int total, int attempts, long sessionId, long lastUs) {
        public static final Pushes NONE = new Pushes(0, 0, 0, 0);

        Pushes next(long toSessionId, long nowUs) {
            return new Pushes(total + 1, toSessionId == sessionId ? attempts + 1 : 1, toSessionId, nowUs);
        }
    }

    /** An entry in flight is not forgotten until it is answered or would be sent again. */
    public enum Withdrawal {
        NONE,
        SUPERSEDED,
        CANCELLED;

        TargetState state() {
            return switch (this) {
                case NONE -> throw new IllegalStateException("the entry is not withdrawn");
                case SUPERSEDED -> TargetState.SUPERSEDED_BY_NEWER;
                case CANCELLED -> TargetState.CANCELLED;
            };
        }
    }

    static Entry pending(QueueEntry message, Handling handling) {
        return new Entry(message, handling, Pushes.NONE, Withdrawal.NONE);
    }

    public String msgId() {
        return message.getMsgId();
    }

    public boolean isInFlight() {
        return pushes.total() > 0;
    }

    /** PENDING or IN_FLIGHT. */
    public TargetState state() {
        return isInFlight() ? TargetState.IN_FLIGHT : TargetState.PENDING;
    }

    boolean isUrgent() {
        return handling.lane() == 0;
    }

    boolean isWithdrawn() {
        return withdrawal != Withdrawal.NONE;
    }

    boolean isExpired(long nowUs) {
        return message.getExpiresAtUs() <= nowUs;
    }

    /** When the last push is to be repeated in its session. */
    long repeatAtUs(Limits.Repeat repeat) {
        int doublings = Math.min(30, Math.max(0, pushes.attempts() - 1));
        return pushes.lastUs() + Math.min(repeat.maxUs(), repeat.firstUs() << doublings);
    }

    Entry pushed(long sessionId, long nowUs) {
        return new Entry(message, handling, pushes.next(sessionId, nowUs), withdrawal);
    }

    Entry withdrawn(Withdrawal why) {
        return new Entry(message, handling, pushes, why);
    }
}
