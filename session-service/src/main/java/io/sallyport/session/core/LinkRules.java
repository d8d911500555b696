package io.sallyport.session.core;

import io.sallyport.envelope.link.LinkLimits;

/**
 * What a node holds its connections to.
 *
 * @param limits told to sensors in ACCEPT
 * @param node ordinal of this node
 * @param handshakeTimeoutMs from the TCP accept to a complete SENSOR_START
 * @param keepaliveMs idle time before a PING
 * @param stallTimeoutMs how long a sensor may not read
 */
public record LinkRules(LinkLimits limits, int node, int handshakeTimeoutMs, int keepaliveMs, int stallTimeoutMs) {
    /** ACCEPT or REJECT follows SENSOR_START within 5 s; what is left over is for the way to the socket. */
    static final int START_DEADLINE_MS = 4_700;
    /** How often a session whose watermark moves reports it; the promise is 30 s. */
    static final int ACKED_REPORT_MS = 20_000;
    /** How long a first-append report is tried again before the session gives up. */
    static final int FIRST_APPEND_GIVE_UP_MS = 60_000;

    static final int FIRST_APPEND_RETRY_MS = 1_000;
    /** A drained connection stays open this long at least, so that what was under way gets its answer. */
    static final int DRAIN_LINGER_MS = 1_000;
    /** STATS that come faster are ignored. */
    static final int STATS_INTERVAL_MS = 10_000;
    /** A spool from here on is told once; about ten hours of an average sensor. */
    static final long DEEP_SPOOL_BYTES = 128L << 20;
    /** PINGs without an answer that end a session. */
    static final int MAX_UNANSWERED_PINGS = 3;
    /** Pause asked for while the gateway does not read. */
    static final int THROTTLE_MS = 1_000;
    /** msg_ids remembered per session. */
    static final int MAX_OPEN_MESSAGES = 1_024;
    /** A SKIP may not be refused, so its ranges have more room than those of batches; beyond, the session ends. */
    static final int SKIP_RANGE_FACTOR = 64;

    static final int RETRY_LOG_MS = 2_000;
    /** After a batch for a shard that holds: normalizing what waits takes longer than a broker's restart. */
    static final int RETRY_HELD_MS = 10_000;

    static final int RETRY_AUTHORITY_MS = 2_000;
    static final int RETRY_SUPERSEDED_MS = 2_000;
    static final int RETRY_DRAINING_MS = 1_000;
}
