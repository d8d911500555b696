package io.sallyport.session.netty;

/**
 * Bounds of received bytes.
 *
 * @param nodeBytes received and not yet durable, on the node
 * @param connectionBytes the same of one connection
 * @param unfinishedBytes of frames that are not complete, on the node
 */
public record MemoryLimits(long nodeBytes, long connectionBytes, long unfinishedBytes) {}
