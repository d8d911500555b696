package io.sallyport.envelope.epoch;

/**
 * Session ids: milliseconds (44 bits), node ordinal (12), counter (8), compared as unsigned; the higher one is the newer
 * session of a sensor (semantics, section 2). 0 stands for none.
 */
public final class SessionId {
    /** Number of node ordinals. */
    public static final int NODES = 1 << 12;
    /** How far ahead of the own clock a sensor's last_session_id may lie and still be minted above. */
    public static final long MAX_AHEAD_MS = 5 * 60_000;

    private SessionId() {}

    public static long of(long ms, int node, int counter) {
        return (ms << 20) | ((long) (node & 0xFFF) << 8) | (counter & 0xFF);
    }

    public static long ms(long sessionId) {
        return sessionId >>> 20;
    }

    public static int node(long sessionId) {
        return (int) (sessionId >>> 8) & 0xFFF;
    }

    public static boolean isNewer(long sessionId, long than) {
        return Long.compareUnsigned(sessionId, than) > 0;
    }

    public static long newest(long a, long b) {
        return isNewer(a, b) ? a : b;
    }

    /**
     * An id above every one that is known of the sensor.
     *
     * @param nowMs the node's own clock
     * @param counter the node's own counter, wrapping at 256
     * @param highestKnown highest session id the node knows of that sensor; 0 = none
     * @param lastSessionId what the sensor presented; ignored where it lies more than {@link #MAX_AHEAD_MS} ahead
     */
    public static long mint(long nowMs, int node, int counter, long highestKnown, long lastSessionId) {
        long ms = nowMs;
        if (highestKnown != 0) {
            ms = Math.max(ms, ms(highestKnown) + 1);
        }
        if (lastSessionId != 0 && ms(lastSessionId) - nowMs <= MAX_AHEAD_MS) {
            ms = Math.max(ms, ms(lastSessionId) + 1);
        }
        return of(ms, node, counter);
    }
}
