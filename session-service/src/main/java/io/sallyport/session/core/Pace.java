package io.sallyport.session.core;

/**
 * How fast one session's sensor is asked to send. The pause travels in ACKs; while a shard holds, ACKs that acknowledge
 * nothing new repeat it, and the end of a hold is told at once.
 */
final class Pace {
    /** Half of the longest pause: the next one arrives before the one before has ended. */
    private static final int REPEAT_MS = RawRetention.MAX_THROTTLE_MS / 2;
    /** How often a pressed session looks whether it still is. */
    private static final int LOOK_MS = 500;

    /** A sensor pauses for a minute at most, whatever it is asked. */
    private static final int MAX_WAIT_MS = 60_000;

    private RawPressure raw = RawPressure.NONE;
    private int shareWaitMs;
    private long nextLookMs = Long.MAX_VALUE;
    private long nextTellMs = Long.MAX_VALUE;

    /** What the shard asks for now. */
    void pressed(RawPressure now, long nowMs) {
        if (now.holds() != raw.holds()) {
            nextTellMs = nowMs;
        }
        raw = now;
        nextLookMs = now.equals(RawPressure.NONE) ? Long.MAX_VALUE : nowMs + LOOK_MS;
    }

    boolean holds() {
        return raw.holds();
    }

    int throttleMs() {
        return Math.max(raw.throttleMs(), shareWaitMs);
    }

    /** The sensor used up its share and should wait so long; 0 = it did not. */
    void slowed(int waitMs) {
        shareWaitMs = Math.min(MAX_WAIT_MS, waitMs);
    }

    /** Whether the sensor is to be told now, whatever there is to acknowledge; then it counts as told. */
    boolean isTellingDue(long nowMs) {
        if (nowMs < nextTellMs) {
            return false;
        }
        nextTellMs = raw.holds() ? nowMs + REPEAT_MS : Long.MAX_VALUE;
        return true;
    }

    /** @param writable whether the sensor reads what it is told; while it does not, nothing becomes due */
    long nextMs(boolean writable) {
        return writable ? Math.min(nextLookMs, nextTellMs) : nextLookMs;
    }
}
