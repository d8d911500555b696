package io.sallyport.fanout.core;

/**
 * An expected failure.
 *
 * @param detail what is wrong with this request; may quote it
 * @param position where in the selector, counted in characters from 1; 0 where that does not apply
 */
public record Refusal(ErrorCode code, String detail, int position) {}
