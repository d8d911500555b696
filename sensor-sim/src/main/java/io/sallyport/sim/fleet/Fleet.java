package io.sallyport.sim.fleet;

import java.time.Duration;
import java.util.Optional;

/** Many reference sensors in one process. */
public final class Fleet implements AutoCloseable {
    private final FleetConfig config;

    private Fleet(FleetConfig config) {
        this.config = config;
    }

    /** Opens the spools and begins to connect; returns at once. */
    public static Fleet start(FleetConfig config) {
        return new Fleet(config);
    }

    /** Waits until every sensor has had an ACCEPT; false where the time is over or {@link #failure()} is present. */
    public boolean awaitConnected(Duration timeout) throws InterruptedException {
        throw new UnsupportedOperationException(config.customerId() + timeout);
    }

    /** Waits until every event is acknowledged or skipped; false where the time is over or {@link #failure()} is present. */
    public boolean awaitDone(Duration timeout) throws InterruptedException {
        throw new UnsupportedOperationException(config.customerId() + timeout);
    }

    /** What was done so far. */
    public FleetReport report() {
        throw new UnsupportedOperationException(config.customerId());
    }

    /** Why the fleet cannot go on, for a person to read: a final REJECT, or a spool that fails. */
    public Optional<String> failure() {
        return Optional.empty();
    }

    /** Stops the generators, closes the connections and the spools; what is spooled on disk stays. */
    @Override
    public void close() {}
}
