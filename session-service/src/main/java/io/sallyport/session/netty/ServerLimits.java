package io.sallyport.session.netty;

import org.jspecify.annotations.Nullable;

/**
 * How the listeners are served.
 *
 * @param eventLoops threads; 0 = one per processor
 * @param tls12 whether TLS 1.2 is offered beside 1.3
 * @param backlog connections that the system completes before they are accepted
 * @param drainDeadlineMs how long a drain may take
 * @param drainJitterMs over which drained sensors spread their reconnects, at least
 * @param drainReconnectsPerSecond that a drain sends to the other nodes, at most
 * @param volumeLookMs over which the sensors of a customer are compared
 * @param ticketKeys seal session tickets; null = every connection makes a full handshake
 */
public record ServerLimits(
        int eventLoops,
        boolean tls12,
        int backlog,
        int drainDeadlineMs,
        int drainJitterMs,
        int drainReconnectsPerSecond,
        int volumeLookMs,
        @Nullable TicketKeys ticketKeys) {
    /** Longer than this nobody is sent away: a week's spool grows meanwhile. */
    private static final int MAX_JITTER_MS = 300_000;

    /** Over which so many sessions come back elsewhere. */
    int jitterMs(int sessions) {
        long needed = sessions * 1_000L / drainReconnectsPerSecond;
        return (int) Math.max(drainJitterMs, Math.min(needed, MAX_JITTER_MS));
    }
}
