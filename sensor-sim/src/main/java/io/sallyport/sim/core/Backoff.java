package io.sallyport.sim.core;

/** Full jitter between a shortest and a longest delay, doubling with each failure (sensor link, section 6). */
final class Backoff {
    private final long minMs;
    private final long maxMs;
    private int failures;

    Backoff(long minMs, long maxMs) {
        this.minMs = minMs;
        this.maxMs = maxMs;
    }

    void succeeded() {
        failures = 0;
    }

    void failed() {
        failures = Math.min(failures + 1, 40);
    }

    /** Goes to the slowest step: a person has to look at it. */
    void failedForGood() {
        failures = 40;
    }

    /** {@code jitter} is 0 … 1. */
    long delayMs(double jitter, long retryAfterMs) {
        long highMs = Math.min(maxMs, minMs << Math.min(failures + 1, 20));
        // The slowest step keeps clear of the fast ones, jitter or not.
        long lowMs = failures >= 40 ? highMs / 2 : minMs;
        return Math.max(retryAfterMs, lowMs + (long) (jitter * (highMs - lowMs)));
    }
}
