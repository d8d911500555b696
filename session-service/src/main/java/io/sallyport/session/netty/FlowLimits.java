package io.sallyport.session.netty;

import io.sallyport.session.core.TenantFlow;

/**
 * What customers may bring in on all nodes together.
 *
 * @param usual of each customer whose record says nothing else
 * @param floorBytesPerSecond what is left to one that is over its daily quota
 */
public record FlowLimits(TenantFlow.Rate usual, long floorBytesPerSecond) {}
