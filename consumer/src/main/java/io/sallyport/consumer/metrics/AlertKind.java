package io.sallyport.consumer.metrics;

/** What of a consumer is for a person: the label `kind` of `sallyport_alerts_total`. */
public enum AlertKind {
    /** What waits has used up a share of the log's retention. */
    CONSUMER_LAG,
    /** Records were gone before the group had read them. */
    CONSUMER_OVERRUN,
    /** A record was given up; it stands in `dead-letters`. */
    DEAD_LETTERED
}
