package io.sallyport.session.netty;

import org.jspecify.annotations.Nullable;

/**
 * How the listeners are served.
 *
 * @param eventLoops threads; 0 = one per processor
 * @param tls12 whether TLS 1.2 is offered beside 1.3
 * @param backlog connections that the system completes before they are accepted
 * @param drainDeadlineMs how long a drain may take
 * @param drainJitterMs over which drained sensors spread their reconnects
 * @param ticketKeys seal session tickets; null = every connection makes a full handshake
 */
public record ServerLimits(
        int eventLoops,
        boolean tls12,
        int backlog,
        int drainDeadlineMs,
        int drainJitterMs,
        @Nullable TicketKeys ticketKeys) {}
