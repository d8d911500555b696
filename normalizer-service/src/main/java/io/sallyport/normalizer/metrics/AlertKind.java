package io.sallyport.normalizer.metrics;

/** What somebody should look at; the tag {@code kind} of {@code sallyport.alerts}. */
public enum AlertKind {
    /** An identity came with other content than what is committed under it. */
    IDENTITY_COLLISION,
    /** A record of `raw` cannot be read. */
    UNDECODABLE,
    /** Records of `raw` were thrown away before they were read. */
    RETENTION_OVERRUN,
    /** A partition of `raw` waits for more than half of its retention. */
    RAW_LAG,
    /** A consumer group has used up half of a topic's retention. */
    CONSUMER_LAG,
    /** Sensors' clocks are off by more than is let pass. */
    CLOCK_SKEW,
    /** A stream thread failed and was replaced. */
    STREAM_THREAD,
    /** `raw` begins again below what the state has handled; nothing is handled any more. */
    LOG_MADE_ANEW
}
