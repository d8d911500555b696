package io.sallyport.router.core;

/** Events that change no target and are only counted. */
public enum Note {
    /** An entry for a target that is already known. */
    DUPLICATE_ENTRY,
    /** An older revision behind a newer one of its group. */
    STALE_REVISION,
    /** A record that breaks the syntax of its fields. */
    MALFORMED,
    /** A record that names another customer or sensor than its key does. */
    FORGED_IDENTITY,
    /** A cancellation of something that is already settled, or that is older than what it cancels. */
    CANCEL_WITHOUT_EFFECT,
    /** A cancellation by someone who may not act for the customer. */
    CANCEL_REFUSED,
    /** The same answer again. */
    DUPLICATE_ACK,
    /** A refusal of something that was acknowledged before. */
    CONFLICTING_ANSWER,
    /** An answer to a message that this sensor was never sent. */
    UNKNOWN_ACK,
    /** A gateway's refusal that belongs to another session than the last push. */
    STALE_RESULT,
    /** The end of a session that is not the newest. */
    STALE_UNREGISTER,
    /** The start of a session that is not the newest. */
    STALE_REGISTER
}
