package io.sallyport.envelope.epoch;

import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import java.util.List;

/**
 * Tells a sensor that reconnects from two machines with one identity (semantics, section 2): a takeover whose
 * last_session_id is the superseded session is a reconnect; of any others, {@link #TAKEOVERS_PER_MINUTE} are let
 * through in a minute of log time, and each further one is slowed.
 */
public final class IdentityConflicts {
    /** Takeovers that are no reconnects and still granted within {@link #WINDOW_MS}. */
    public static final int TAKEOVERS_PER_MINUTE = 3;

    public static final long WINDOW_MS = 60_000;
    /** Delay of the first slowed claim; it doubles with each further one. The gateway adds the jitter. */
    public static final int FIRST_RETRY_AFTER_MS = 1_000;

    public static final int MAX_RETRY_AFTER_MS = 60_000;
    /** After this long without a slowed claim the delay starts anew. */
    public static final long FORGET_AFTER_MS = 600_000;

    private IdentityConflicts() {}

    /** Whether the claim pushes out a live session that it does not continue. */
    static boolean isConflict(EpochState state, EpochClaim claim) {
        return isConflict(state, claim.getLastSessionId());
    }

    static boolean isConflict(EpochState state, long lastSessionId) {
        return state.getLiveSessionId() != 0 && lastSessionId != state.getLiveSessionId();
    }

    /** The takeovers that still count at {@code logTimeMs}; at most {@link #TAKEOVERS_PER_MINUTE} of them. */
    static List<Long> recent(EpochState state, long logTimeMs) {
        return state.getConflictsMsList().stream()
                .filter(at -> at > logTimeMs - WINDOW_MS)
                .toList();
    }

    /** How many claims in a row were slowed before the one at {@code logTimeMs}. */
    static int slowedBefore(EpochState state, long logTimeMs) {
        return logTimeMs - state.getSlowedAtMs() > FORGET_AFTER_MS ? 0 : state.getSlowedCount();
    }

    /** 1 s, 2 s, 4 s … 60 s. */
    static int retryAfterMs(int slowedBefore) {
        int doublings = Math.min(slowedBefore, 16);
        return (int) Math.min((long) FIRST_RETRY_AFTER_MS << doublings, MAX_RETRY_AFTER_MS);
    }

    /** One alert a minute and sensor is enough for a person. */
    static boolean isAlertDue(EpochState state, long logTimeMs) {
        return state.getConflictAlertMs() == 0 || logTimeMs - state.getConflictAlertMs() >= WINDOW_MS;
    }
}
