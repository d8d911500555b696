package io.sallyport.export.kafka;

/**
 * What one worker may use, and how long it waits.
 *
 * @param bufferBytes of rows in memory, over all its shards
 * @param diskBytes of rows that wait on the local disk, over all its shards; above it the largest range is cut
 * @param maintenanceNanos how often the files of a shard are looked at
 * @param settleNanos after which a generation that ended writes nothing any more: well above what a normalizer takes to see
 *     that, its group to part with one that is cut off, and a transaction to be aborted (10 s each)
 */
public record WorkerLimits(long bufferBytes, long diskBytes, long maintenanceNanos, long settleNanos) {}
