package io.sallyport.session.core;

/**
 * Tells when a silent sensor is asked for life, and when it is given up. Its clock stands still while the gateway does
 * not read the socket; then it tells when the sensor is to be given a sign of life instead.
 */
final class Keepalive {
    /** What is due. */
    enum Due {
        NOTHING,
        PING,
        /** ACK with the unchanged watermark and a throttle, since the gateway does not read. */
        THROTTLE,
        LOST
    }

    private final int keepaliveMs;
    private long nextPingMs;
    private int unanswered;
    private boolean paused;
    private long pausedAtMs;
    private long nextThrottleMs;

    Keepalive(int keepaliveMs, long nowMs) {
        this.keepaliveMs = keepaliveMs;
        this.nextPingMs = nowMs + keepaliveMs;
    }

    /** Bytes came in. */
    void received(long nowMs) {
        unanswered = 0;
        nextPingMs = nowMs + keepaliveMs;
        if (paused) {
            pausedAtMs = nowMs;
        }
    }

    void paused(long nowMs) {
        if (!paused) {
            paused = true;
            pausedAtMs = nowMs;
            nextThrottleMs = nowMs + Math.max(1, keepaliveMs / 2);
        }
    }

    void resumed(long nowMs) {
        if (paused) {
            paused = false;
            nextPingMs += nowMs - pausedAtMs;
        }
    }

    Due due(long nowMs) {
        if (paused) {
            if (nowMs < nextThrottleMs) {
                return Due.NOTHING;
            }
            nextThrottleMs = nowMs + Math.max(1, keepaliveMs / 2);
            return Due.THROTTLE;
        }
        if (nowMs < nextPingMs) {
            return Due.NOTHING;
        }
        if (unanswered == LinkRules.MAX_UNANSWERED_PINGS) {
            return Due.LOST;
        }
        unanswered++;
        nextPingMs = nowMs + keepaliveMs;
        return Due.PING;
    }

    long nextMs() {
        return paused ? nextThrottleMs : nextPingMs;
    }
}
