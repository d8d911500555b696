package io.sallyport.session.core;

/**
 * One reading of both clocks, taken at the edge.
 *
 * @param monotonicMs for timers; has no meaning between processes
 * @param wallUs microseconds since 1970, for what is stored
 */
public record Now(long monotonicMs, long wallUs) {
    public long wallMs() {
        return wallUs / 1_000;
    }
}
