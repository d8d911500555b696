package io.sallyport.router.core;

/**
 * Bounds and times of the per-sensor queues (semantics, section 6).
 *
 * @param maxOpen entries of a sensor that are pending or in flight; beyond, one is evicted or the next rejected
 * @param window how much may be in flight to a sensor at a time
 * @param repeat when an unanswered push is repeated
 * @param recheckUs after which a push that could not be made, for want of a body or a live node, is tried again
 * @param retentionUs how long a target is remembered after its expiry: for duplicates, late answers and the status
 */
public record Limits(int maxOpen, Window window, Repeat repeat, long recheckUs, long retentionUs) {

    public Limits {
        require(maxOpen >= 1, "maxOpen must be at least 1");
        require(recheckUs > 0, "recheckUs must be positive");
        require(retentionUs > 0, "retentionUs must be positive");
    }

    /**
     * What may be in flight to one sensor.
     *
     * @param urgent entries of the first lane
     * @param others entries of all other lanes together; small, so that an urgent one never waits behind many
     * @param bytes payload bytes of all of them; one entry is always allowed
     */
    public record Window(int urgent, int others, long bytes) {
        public Window {
            require(urgent >= 1, "window.urgent must be at least 1");
            require(others >= 1, "window.others must be at least 1");
            require(bytes >= 1, "window.bytes must be at least 1");
        }
    }

    /**
     * Repetition of unanswered pushes while the sensor is connected.
     *
     * @param firstUs from a push to its first repetition; doubles with each further one
     * @param maxUs longest time between two
     */
    public record Repeat(long firstUs, long maxUs) {
        public Repeat {
            require(firstUs > 0, "repeat.firstUs must be positive");
            require(maxUs >= firstUs, "repeat.maxUs is below repeat.firstUs");
        }
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
