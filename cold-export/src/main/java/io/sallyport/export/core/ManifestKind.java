package io.sallyport.export.core;

/** What a version of a shard's manifest did. */
public enum ManifestKind {
    /** Rows of the log came to files. */
    EXPORT,
    /** Small files of one closed date became larger ones, with the same rows. */
    COMPACTION,
    /**
     * A generation of the normalizer took over: rows moved between the current ones and the others; all are kept. One that moved
     * none says that every row is where the takeovers so far put it.
     */
    SUPERSEDE,
    /** Files past the retention were removed: a statement. */
    TRIM,
    /** Files of one customer were removed on request: a statement. */
    ERASURE
}
