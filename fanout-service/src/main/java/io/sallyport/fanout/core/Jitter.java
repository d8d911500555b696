package io.sallyport.fanout.core;

/** Spreads the deliveries of a message over a window, each sensor always at the same place in it. */
final class Jitter {
    private Jitter() {}

    /** The window of a message to {@code targets} sensors; never wider than its life. */
    static long windowMs(FanoutLimits limits, int targets, long ttlMs) {
        long proportional = targets <= 1 ? 0 : targets * limits.jitterPerTargetUs() / 1_000;
        return bounded(Math.min(proportional, limits.maxJitterMs()), ttlMs);
    }

    /** A delivery stands strictly before the expiry, so the window is shorter than the life. */
    static long bounded(long windowMs, long ttlMs) {
        return Math.max(0, Math.min(windowMs, ttlMs - 1));
    }

    /** Where in the window, in microseconds, the delivery to a sensor stands. */
    static long offsetUs(String msgId, String sensorId, long windowMs) {
        if (windowMs <= 0) {
            return 0;
        }
        long hash = 0xcbf29ce484222325L;
        hash = fnv(hash, msgId);
        hash = fnv(hash ^ '/', sensorId);
        return Long.remainderUnsigned(mixed(hash), windowMs * 1_000);
    }

    private static long fnv(long hash, String text) {
        long mixed = hash;
        for (int i = 0; i < text.length(); i++) {
            mixed = (mixed ^ text.charAt(i)) * 0x100000001b3L;
        }
        return mixed;
    }

    /** FNV leaves neighbours close to each other; this spreads them (the finalizer of MurmurHash3). */
    private static long mixed(long hash) {
        long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }
}
