package io.sallyport.envelope.epoch;

/** What a person must hear of; the names are the {@code kind} of the alert counter. */
public enum EpochAlert {
    /** A sensor came back with an older state, or a clone of it runs: its numbers would have been used twice. */
    EPOCH_ROLLBACK,
    /** A sensor presented an epoch that was never issued to it. */
    EPOCH_DIVERGED,
    /** Two machines with one identity keep pushing each other out. */
    IDENTITY_CONFLICT
}
