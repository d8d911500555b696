package io.sallyport.fanout.core;

/** What somebody should look at; the tag {@code kind} of {@code sallyport.alerts}. */
public enum AlertKind {
    /** Somebody tried to act for a customer that is not theirs, or a record is about something else than its key says. */
    CROSS_TENANT,
    /** A record of a topic cannot be read, or is not where it belongs. */
    UNDECODABLE,
    /** The counts of a message do not add up to its targets. */
    STATUS_SUM,
    /** A reader or the decider failed and was started again. */
    WORKER_FAILED,
    /** `ingress` begins again below what the state has decided; nothing is decided any more. */
    LOG_MADE_ANEW
}
