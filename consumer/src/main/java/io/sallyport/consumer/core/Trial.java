package io.sallyport.consumer.core;

import java.time.Duration;

/**
 * A record that the handler failed at.
 *
 * @param offset of the record
 * @param appendedMs its append time
 * @param failures of the handler that count
 * @param pauses so far, those that do not count included
 * @param againAtMs when it is tried again
 */
public record Trial(long offset, long appendedMs, int failures, int pauses, long againAtMs) {
    private static final int MAX_DOUBLINGS = 30;

    /** Of a record that has not failed yet. */
    public static Trial first(long offset, long appendedMs) {
        return new Trial(offset, appendedMs, 0, 0, 0);
    }

    /**
     * After one more failure.
     *
     * @param counts false where the record is not at fault
     */
    public Trial failed(boolean counts, Duration first, Duration longest, long nowMs) {
        long pauseMs = Math.min(longest.toMillis(), first.toMillis() << Math.min(pauses, MAX_DOUBLINGS));
        return new Trial(
                offset,
                appendedMs,
                counts ? failures + 1 : failures,
                pauses + 1,
                // A shift may have left the range.
                nowMs + (pauseMs <= 0 ? longest.toMillis() : pauseMs));
    }
}
