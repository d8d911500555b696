package io.sallyport.export.kafka;

/**
 * What one worker may use.
 *
 * @param bufferBytes of rows in memory, over all its shards
 * @param diskBytes of rows that wait on the local disk, over all its shards; above it the largest range is cut
 * @param maintenanceNanos how often the files of a shard are looked at
 */
public record WorkerLimits(long bufferBytes, long diskBytes, long maintenanceNanos) {}
