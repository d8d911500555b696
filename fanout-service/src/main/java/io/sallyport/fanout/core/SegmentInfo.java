package io.sallyport.fanout.core;

/**
 * One version of a stored membership list.
 *
 * @param deleted this version says that the segment is no more
 */
public record SegmentInfo(String customerId, String name, long version, int chunks, boolean deleted) {}
