package io.sallyport.sim.core;

import io.sallyport.envelope.link.Drain;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.Reject;
import org.jspecify.annotations.Nullable;

/** One connection, from SENSOR_START on. All times are of the sensor's monotonic clock. */
final class Session {
    private static final int MAX_SILENT_PINGS = 3;
    /** A gateway that keeps a drained connection open longer than it said is left. */
    private static final long DRAIN_GRACE_US = 1_000_000;

    private final long startedUs;
    private final long sessionId;
    private final SessionLimits limits;
    private int codec;
    /** A BATCH or SKIP was sent: last_session_id is durable. */
    private boolean hasSent;

    private @Nullable Drain drain;
    private long drainedAtUs;
    private @Nullable Reject end;
    private long throttledUntilUs;
    private long retryAtUs;
    /** After ACK_WINDOW_EXCEEDED, until the ACK moves: one batch at a time, from the watermark upward. */
    private boolean windowExceeded;

    private int windowRefusals;
    private long statsAtUs;
    private long heardUs;
    private long pingAtUs;
    private int silentPings;

    Session(Accept accept, int codec, long nowUs) {
        this.startedUs = nowUs;
        this.sessionId = accept.getSessionId();
        this.limits = SessionLimits.of(accept);
        this.codec = codec;
        this.statsAtUs = nowUs;
        heard(nowUs);
    }

    long sessionId() {
        return sessionId;
    }

    SessionLimits limits() {
        return limits;
    }

    int codec() {
        return codec;
    }

    void useCodec(int newCodec) {
        codec = newCodec;
    }

    long ageUs(long nowUs) {
        return nowUs - startedUs;
    }

    /** True once, at the first BATCH or SKIP. */
    boolean sendsFirst() {
        boolean first = !hasSent;
        hasSent = true;
        return first;
    }

    void drain(Drain received, long nowUs) {
        drain = received;
        drainedAtUs = nowUs;
    }

    @Nullable
    Drain drain() {
        return drain;
    }

    boolean isDrainOverdue(long nowUs) {
        return drain != null
                && nowUs - drainedAtUs > Integer.toUnsignedLong(drain.deadlineMs()) * 1_000 + DRAIN_GRACE_US;
    }

    void end(Reject reject) {
        end = reject;
    }

    @Nullable
    Reject end() {
        return end;
    }

    /** Neither told to drain nor ended by a REJECT. */
    boolean mayNumber() {
        return drain == null && end == null;
    }

    /** The newest value replaces the older. */
    void throttle(int throttleMs, long nowUs) {
        long ms = Math.min(Integer.toUnsignedLong(throttleMs), LinkLimits.MAX_THROTTLE_MS);
        throttledUntilUs = nowUs + ms * 1_000;
    }

    void retryAfter(long delayMs, long nowUs) {
        retryAtUs = Math.max(retryAtUs, nowUs + delayMs * 1_000);
    }

    boolean isPaused(long nowUs) {
        return nowUs < throttledUntilUs || nowUs < retryAtUs;
    }

    boolean isWindowExceeded() {
        return windowExceeded;
    }

    /** Pauses longer with each refusal in a row, up to 5 s. */
    void windowExceeded(long nowUs) {
        windowExceeded = true;
        retryAfter(Math.min(5_000, 50L << Math.min(windowRefusals++, 7)), nowUs);
    }

    void ackMoved() {
        windowExceeded = false;
        windowRefusals = 0;
    }

    /** Any received frame is life. */
    void heard(long nowUs) {
        heardUs = nowUs;
        silentPings = 0;
        pingAtUs = nowUs + keepaliveUs();
    }

    /** Whether a PING is due: nothing was heard for a keepalive. */
    boolean pingDue(long nowUs) {
        if (nowUs < pingAtUs || silentPings >= MAX_SILENT_PINGS) {
            return false;
        }
        silentPings++;
        pingAtUs = nowUs + keepaliveUs();
        return true;
    }

    boolean isDead(long nowUs) {
        return nowUs - heardUs > (MAX_SILENT_PINGS + 1) * keepaliveUs();
    }

    boolean statsDue(long nowUs, long intervalUs) {
        if (nowUs - statsAtUs < intervalUs) {
            return false;
        }
        statsAtUs = nowUs;
        return true;
    }

    private long keepaliveUs() {
        return limits.keepaliveMs() * 1_000L;
    }
}
