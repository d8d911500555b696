package io.sallyport.sim.core;

import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import java.util.EnumSet;
import java.util.Set;

/** When and where the next connection goes, from how the last one ended (sensor link, sections 6 and 7). */
final class Reconnects {
    private static final int MAX_HOPS = 3;
    /** An end by REJECT after a session of at least this long starts the back-off anew. */
    private static final long LONG_SESSION_US = 60_000_000;

    private static final Set<RejectCode> FINAL = EnumSet.of(
            RejectCode.IDENTITY_MISMATCH,
            RejectCode.BAD_IDENTITY,
            RejectCode.UNKNOWN_CUSTOMER,
            RejectCode.UNSUPPORTED_VERSION,
            RejectCode.PROTOCOL_VIOLATION,
            RejectCode.FRAME_TOO_LARGE,
            RejectCode.FRAME_MALFORMED,
            RejectCode.SKIP_MALFORMED,
            RejectCode.EPOCH_EXHAUSTED);

    private final Backoff backoff;
    private long atUs;
    /** host:port of the cell that a MOVED named; empty for the configured gateway. */
    private String endpoint = "";

    private int hops;

    Reconnects(long minMs, long maxMs) {
        this.backoff = new Backoff(minMs, maxMs);
    }

    static boolean isFinal(RejectCode code) {
        return FINAL.contains(code);
    }

    boolean isDue(long nowUs) {
        return nowUs >= atUs;
    }

    String endpoint() {
        return endpoint;
    }

    void accepted() {
        hops = 0;
    }

    /** The connection ended without a REJECT; {@code accepted}: it had an open session. */
    void lost(boolean accepted, long nowUs, double jitter) {
        if (accepted) {
            backoff.succeeded();
        } else {
            backoff.failed();
            forgetEndpoint();
        }
        after(backoff.delayMs(jitter, 0), nowUs);
    }

    /** The sensor itself ended the session and wants the next one at once. */
    void restart(long nowUs) {
        after(0, nowUs);
    }

    void drained(int jitterMs, long nowUs, double jitter) {
        backoff.succeeded();
        after((long) (jitter * Integer.toUnsignedLong(jitterMs)), nowUs);
    }

    void refused(Reject reject, long sessionUs, long nowUs, double jitter) {
        long retryAfterMs = Integer.toUnsignedLong(reject.getRetryAfterMs());
        if (reject.getCode() == RejectCode.MOVED && !reject.getEndpoint().isEmpty() && hops < MAX_HOPS) {
            hops++;
            endpoint = reject.getEndpoint();
            after(retryAfterMs, nowUs);
            return;
        }
        if (isFinal(reject.getCode())) {
            backoff.failedForGood();
        } else {
            if (sessionUs >= LONG_SESSION_US) {
                backoff.succeeded();
            }
            backoff.failed();
        }
        if (sessionUs < 0) {
            forgetEndpoint();
        }
        after(backoff.delayMs(jitter, retryAfterMs), nowUs);
    }

    private void forgetEndpoint() {
        endpoint = "";
        hops = 0;
    }

    private void after(long delayMs, long nowUs) {
        atUs = nowUs + delayMs * 1_000;
    }
}
