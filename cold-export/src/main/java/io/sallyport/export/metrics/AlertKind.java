package io.sallyport.export.metrics;

/** What somebody should look at; the tag {@code kind} of {@code sallyport.alerts}. */
public enum AlertKind {
    /** A shard could not be worked on, and is tried again. */
    EXPORT_FAILED,
    /** A record of `structured` cannot be read. */
    EXPORT_UNREADABLE,
    /** A file of rows is missing, or is not what its manifest says. */
    EXPORT_DAMAGED,
    /** Proved rows left the log before they were exported. */
    EXPORT_OVERRUN,
    /** Current rows that no segment will ever have: their generation ended before it closed its last one. */
    EXPORT_UNPROVABLE,
    /** The segments do not continue what was signed: nothing is signed any more. */
    PROOF_FAULT,
    /** Records are not those that were proved: they are not exported. */
    PROOF_MISMATCH,
    /** Proved rows are not in the log, from among others, where retention did not take them. */
    EXPORT_HOLE,
    /** A checkpoint could not be copied to its second place. */
    CHECKPOINT_NOT_COPIED
}
