package io.sallyport.export.core;

/**
 * Rows of one generation by `pos`; the upper end is exclusive.
 *
 * @param generation u32
 */
public record PosRange(long generation, long fromPos, long toPos) {}
