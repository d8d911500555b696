package io.sallyport.export.core;

/**
 * Neighbouring segments of one generation; the upper ends are exclusive.
 *
 * @param generation u32
 */
public record Span(long generation, long fromIndex, long toIndex, long fromPos, long toPos) {}
