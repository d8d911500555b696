package io.sallyport.session.core;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The share that one customer's sensors have of a node. Each connected sensor is sure of an equal part of the customer's
 * rate; beyond its part it may take what the others leave over. A sensor has to wait only while it has used up its own
 * part and the customer as a whole is in debt, and no longer than until one of the two is paid. Thread-safe.
 *
 * <p>A frame is charged when it has been read, so the last one before a pause may be one too many; it is a debt, and the
 * pause is longer for it. What a sensor owes, it still owes when it comes back with another connection.
 *
 * <p>Customers share nothing here: one at many times its rate makes nobody wait but its own sensors.
 */
public final class TenantFlow {
    private static final long BURST_NANOS = 1_000_000_000;
    /** Sensors that are gone and whose part is remembered; about 1 MB. */
    private static final int MAX_GONE = 4_096;

    /**
     * What a customer may bring in, on one node or on all.
     *
     * @param bytesPerSecond decompressed
     */
    public record Rate(long bytesPerSecond, long eventsPerSecond) {

        /** A part of it, at least 1 of each. */
        public Rate times(double share) {
            return new Rate(
                    Math.max(1, (long) (bytesPerSecond * share)), Math.max(1, (long) (eventsPerSecond * share)));
        }
    }

    /**
     * What a customer brought in on this node since the look before.
     *
     * @param bytes decompressed
     * @param waits whether more of it would have come, or is about to
     */
    public record Use(long bytes, long events, boolean waits) {}

    private volatile Rate rate;
    private final AtomicInteger sensors = new AtomicInteger();
    private final RateBucket bytes = new RateBucket();
    private final RateBucket events = new RateBucket();
    private final ConcurrentHashMap<String, Part> parts = new ConcurrentHashMap<>();
    private final LongAdder usedBytes = new LongAdder();
    private final LongAdder usedEvents = new LongAdder();
    private volatile boolean waited;

    public TenantFlow(Rate rate) {
        this.rate = rate;
    }

    /** For what is received from now on; what is owed already stays. To be called about every second. */
    public void changeRate(Rate now, long nowNanos) {
        rate = now;
        // Whoever has saved up all that can be saved is like one that was never here.
        for (String sensorId : parts.keySet()) {
            parts.computeIfPresent(
                    sensorId, (id, part) -> part.sessions == 0 && part.isSavedUp(nowNanos) ? null : part);
        }
    }

    /** A sensor connected; it is to be {@link Share#close closed} with its connection. */
    public Share join(String sensorId) {
        sensors.incrementAndGet();
        Part joined = parts.compute(sensorId, (id, part) -> {
            Part of = part == null ? new Part() : part;
            of.sessions++;
            return of;
        });
        return new Share(sensorId, joined);
    }

    /** Connected now. */
    public int sensors() {
        return sensors.get();
    }

    /** Sensors whose part is known, connected or not. */
    long remembered() {
        return parts.mappingCount();
    }

    /** What came since the last call of this. */
    public Use takeUse(long nowNanos) {
        boolean waits = waited || bytes.debtNanos(nowNanos) > 0 || events.debtNanos(nowNanos) > 0;
        waited = false;
        return new Use(usedBytes.sumThenReset(), usedEvents.sumThenReset(), waits);
    }

    /** What a sensor has used of its part of the rate. */
    private static final class Part {
        final RateBucket bytes = new RateBucket();
        final RateBucket events = new RateBucket();
        /** A new connection may come before the old one is gone. Guarded by the map. */
        int sessions;

        boolean isSavedUp(long nowNanos) {
            return bytes.debtNanos(nowNanos) <= -BURST_NANOS && events.debtNanos(nowNanos) <= -BURST_NANOS;
        }
    }

    /** One connection of a sensor. Charged by one thread. */
    public final class Share implements AutoCloseable {
        private final String sensorId;
        private final Part part;
        private boolean closed;

        private Share(String sensorId, Part part) {
            this.sensorId = sensorId;
            this.part = part;
        }

        /** Takes note of what was received. */
        public void charge(long receivedBytes, int receivedEvents, long nowNanos) {
            Rate rate = TenantFlow.this.rate;
            int among = Math.max(1, sensors.get());
            bytes.charge(receivedBytes, rate.bytesPerSecond(), BURST_NANOS, nowNanos);
            part.bytes.charge(receivedBytes, (double) rate.bytesPerSecond() / among, BURST_NANOS, nowNanos);
            events.charge(receivedEvents, rate.eventsPerSecond(), BURST_NANOS, nowNanos);
            part.events.charge(receivedEvents, (double) rate.eventsPerSecond() / among, BURST_NANOS, nowNanos);
            usedBytes.add(receivedBytes);
            usedEvents.add(receivedEvents);
            if (!waited && waitNanos(nowNanos) > 0) {
                waited = true;
            }
        }

        /** How long the sensor has to wait before it sends more; 0 = not at all. */
        public long waitNanos(long nowNanos) {
            long forBytes = Math.min(bytes.debtNanos(nowNanos), part.bytes.debtNanos(nowNanos));
            long forEvents = Math.min(events.debtNanos(nowNanos), part.events.debtNanos(nowNanos));
            return Math.max(0, Math.max(forBytes, forEvents));
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                int connected = sensors.decrementAndGet();
                parts.computeIfPresent(sensorId, (id, left) -> {
                    left.sessions--;
                    return left.sessions == 0 && parts.mappingCount() - connected > MAX_GONE ? null : left;
                });
            }
        }
    }
}
