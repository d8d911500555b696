package io.sallyport.session.netty;

/**
 * Bounds of received bytes.
 *
 * @param nodeBytes received and not yet durable, on the node
 * @param customerBytes the same of one customer
 * @param shardBytes the same of one shard of the raw log, so that one without a leader slows its own connections only
 * @param connectionBytes the same of one connection
 * @param unfinishedBytes of frames that are not complete, on the node
 */
public record MemoryLimits(
        long nodeBytes, long customerBytes, long shardBytes, long connectionBytes, long unfinishedBytes) {}
