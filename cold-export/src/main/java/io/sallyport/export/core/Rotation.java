package io.sallyport.export.core;

/**
 * When a range is cut. By size, so that files are large and the local disk is bounded; by age, so that the last rows of a
 * quiet shard do not wait for the next one. While a backlog is read, age means the time that the range spans: otherwise
 * every look would find old rows, and cut a small file.
 *
 * @param maxBytes of rows in a range, as they are in the log
 * @param maxAgeMs how long a row waits at most while the exporter keeps up
 */
public record Rotation(long maxBytes, long maxAgeMs) {
    /**
     * @param bytes of rows in the range
     * @param firstMs append time of its first row
     * @param lastMs append time of its last row
     * @param caughtUp whether no further row waits in the log
     */
    public boolean isDue(long bytes, long firstMs, long lastMs, long nowMs, boolean caughtUp) {
        return bytes >= maxBytes || (caughtUp ? nowMs - firstMs >= maxAgeMs : lastMs - firstMs >= maxAgeMs);
    }
}
