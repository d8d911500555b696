package io.sallyport.session.core;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The share that one customer's sensors have of a node. Each connected sensor is sure of an equal part of the customer's
 * rate; beyond its part it may take what the others leave over. A sensor has to wait only while it has used up its own
 * part and the customer as a whole is in debt, and no longer than until one of the two is paid. Thread-safe.
 *
 * <p>Customers share nothing here: one at many times its rate makes nobody wait but its own sensors.
 */
public final class TenantFlow {
    private static final long BURST_NANOS = 1_000_000_000;

    /**
     * What a customer may bring in on this node.
     *
     * @param bytesPerSecond decompressed
     */
    public record Rate(long bytesPerSecond, long eventsPerSecond) {}

    private volatile Rate rate;
    private final AtomicInteger sensors = new AtomicInteger();
    private final RateBucket bytes = new RateBucket();
    private final RateBucket events = new RateBucket();

    public TenantFlow(Rate rate) {
        this.rate = rate;
    }

    /** For what is received from now on; what is owed already stays. */
    public void changeRate(Rate now) {
        rate = now;
    }

    /** A sensor connected; it is to be {@link Share#close closed} with its connection. */
    public Share join() {
        sensors.incrementAndGet();
        return new Share();
    }

    /** One sensor's part. Charged by one thread. */
    public final class Share implements AutoCloseable {
        private final RateBucket ownBytes = new RateBucket();
        private final RateBucket ownEvents = new RateBucket();
        private boolean closed;

        private Share() {}

        /** Takes note of what was received. */
        public void charge(long receivedBytes, int receivedEvents, long nowNanos) {
            Rate rate = TenantFlow.this.rate;
            int parts = Math.max(1, sensors.get());
            bytes.charge(receivedBytes, rate.bytesPerSecond(), BURST_NANOS, nowNanos);
            ownBytes.charge(receivedBytes, (double) rate.bytesPerSecond() / parts, BURST_NANOS, nowNanos);
            events.charge(receivedEvents, rate.eventsPerSecond(), BURST_NANOS, nowNanos);
            ownEvents.charge(receivedEvents, (double) rate.eventsPerSecond() / parts, BURST_NANOS, nowNanos);
        }

        /** How long the sensor has to wait before it sends more; 0 = not at all. */
        public long waitNanos(long nowNanos) {
            long forBytes = Math.min(bytes.debtNanos(nowNanos), ownBytes.debtNanos(nowNanos));
            long forEvents = Math.min(events.debtNanos(nowNanos), ownEvents.debtNanos(nowNanos));
            return Math.max(0, Math.max(forBytes, forEvents));
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                sensors.decrementAndGet();
            }
        }
    }
}
