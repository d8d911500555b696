package io.sallyport.router.core;

/** What a person should look at. */
public enum AlertKind {
    /** A record names another customer or sensor than its key does. */
    FORGED_IDENTITY,
    /** The principal of a message may not act for the customer, or not with this type. */
    PRINCIPAL_MISMATCH,
    /** A sensor cannot apply a message. */
    COMMAND_NACKED,
    /** A gateway refused to hand a message over. */
    DELIVERY_REFUSED,
    /** A queue is full of entries that may not be evicted. */
    QUEUE_FULL,
    /** An urgent message arrived behind a newer one of its type that was already delivered. */
    OVERTAKEN
}
