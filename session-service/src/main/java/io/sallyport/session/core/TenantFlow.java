package io.sallyport.session.core;

import io.sallyport.envelope.link.LinkLimits;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The share that one customer's sensors have of a node. Each connected sensor is sure of an equal part of the customer's
 * rate; beyond its part it may take what the others leave over. A sensor has to wait only while it has used up its own
 * part and the customer as a whole is in debt, and no longer than until one of the two is paid. Thread-safe.
 *
 * <p>A frame is charged when it has been read, so the last one before a pause may be one too many; it is a debt, and the
 * pause is longer for it. What a sensor owes, it still owes when it comes back with another connection. It owes bytes and
 * events, not time: whatever changes the rate, or its part of it, changes at once how long the rest takes.
 *
 * <p>A sensor owes at most two seconds' worth of its part and what an honest one may have on its way: as many of the largest
 * batches as fill its window. One that is not read while it is a second behind never gets there at the rate at which it
 * sent; what is cut off is only what was little at that rate, and would be days at a much lower one.
 *
 * <p>Customers share nothing here: one at many times its rate makes nobody wait but its own sensors.
 */
public final class TenantFlow {
    /** How many seconds' worth may be saved up. */
    private static final double BURST_SECONDS = 1;
    /** Beyond the window: a sensor is read until it is one second behind, so twice that takes nothing off its debt. */
    private static final double PATIENCE_SECONDS = 2;
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

    /** What the node has granted to the customer, and to each connected sensor as its part. */
    private record Grants(Rate rate, Granted bytes, Granted events, Granted partBytes, Granted partEvents) {

        static Grants from(Rate rate, long nowNanos) {
            return new Grants(
                    rate,
                    Granted.from(nowNanos, rate.bytesPerSecond()),
                    Granted.from(nowNanos, rate.eventsPerSecond()),
                    Granted.from(nowNanos, rate.bytesPerSecond()),
                    Granted.from(nowNanos, rate.eventsPerSecond()));
        }

        Grants at(Rate now, int sensors, long nowNanos) {
            double among = Math.max(1, sensors);
            return new Grants(
                    now,
                    bytes.at(now.bytesPerSecond(), nowNanos),
                    events.at(now.eventsPerSecond(), nowNanos),
                    partBytes.at(now.bytesPerSecond() / among, nowNanos),
                    partEvents.at(now.eventsPerSecond() / among, nowNanos));
        }
    }

    /** What a sensor may have on its way before it hears that it should wait. */
    private final long windowBytes;

    private final long windowEvents;
    /** Replaced under the lock; with the number of sensors, of which the parts depend. */
    private volatile Grants grants;

    private volatile int sensors;
    private final RateBucket bytes = new RateBucket();
    private final RateBucket events = new RateBucket();
    private final ConcurrentHashMap<String, Part> parts = new ConcurrentHashMap<>();
    private final LongAdder usedBytes = new LongAdder();
    private final LongAdder usedEvents = new LongAdder();
    private volatile boolean waited;

    /** @param limits what an honest sensor keeps to */
    public TenantFlow(Rate rate, LinkLimits limits, long nowNanos) {
        this.windowEvents = limits.maxUnackedEvents();
        this.windowBytes =
                (long) limits.maxBatchBytes() * Math.max(1, limits.maxUnackedEvents() / limits.maxBatchEvents());
        this.grants = Grants.from(rate, nowNanos);
    }

    /** From now on, also for the rest of what is owed already. */
    public synchronized void changeRate(Rate now, long nowNanos) {
        grants = grants.at(now, sensors, nowNanos);
    }

    /** Forgets whoever has saved up all that can be saved: it is like one that was never here. To be called about every second. */
    public void forgetIdle(long nowNanos) {
        Grants now = grants;
        for (String sensorId : parts.keySet()) {
            parts.computeIfPresent(
                    sensorId, (id, part) -> part.sessions == 0 && part.isSavedUp(now, nowNanos) ? null : part);
        }
    }

    private synchronized int connected(int more, long nowNanos) {
        sensors += more;
        grants = grants.at(grants.rate(), sensors, nowNanos);
        return sensors;
    }

    /** A sensor connected; it is to be {@link Share#close closed} with its connection. */
    public Share join(String sensorId, long nowNanos) {
        connected(1, nowNanos);
        Part joined = parts.compute(sensorId, (id, part) -> {
            Part of = part == null ? new Part() : part;
            of.sessions++;
            return of;
        });
        return new Share(sensorId, joined);
    }

    /** Connected now. */
    public int sensors() {
        return sensors;
    }

    /** Sensors whose part is known, connected or not. */
    long remembered() {
        return parts.mappingCount();
    }

    /** What came since the last call of this. */
    public Use takeUse(long nowNanos) {
        Grants now = grants;
        boolean waits = waited || bytes.debt(now.bytes(), nowNanos) > 0 || events.debt(now.events(), nowNanos) > 0;
        waited = false;
        return new Use(usedBytes.sumThenReset(), usedEvents.sumThenReset(), waits);
    }

    /** What a sensor has used of its part of the rate. */
    private static final class Part {
        final RateBucket bytes = new RateBucket();
        final RateBucket events = new RateBucket();
        /** A new connection may come before the old one is gone. Guarded by the map. */
        int sessions;

        boolean isSavedUp(Grants now, long nowNanos) {
            return isSavedUp(bytes, now.partBytes(), nowNanos) && isSavedUp(events, now.partEvents(), nowNanos);
        }

        private static boolean isSavedUp(RateBucket bucket, Granted granted, long nowNanos) {
            return bucket.debt(granted, nowNanos) <= -BURST_SECONDS * granted.perSecond();
        }
    }

    /** One connection of a sensor. Charged by one thread. */
    public final class Share {
        private final String sensorId;
        private final Part part;
        private boolean closed;

        private Share(String sensorId, Part part) {
            this.sensorId = sensorId;
            this.part = part;
        }

        /** Takes note of what was received. */
        public void charge(long receivedBytes, int receivedEvents, long nowNanos) {
            Grants now = grants;
            chargeAll(bytes, receivedBytes, now.bytes(), nowNanos);
            chargePart(part.bytes, receivedBytes, windowBytes, now.partBytes(), nowNanos);
            chargeAll(events, receivedEvents, now.events(), nowNanos);
            chargePart(part.events, receivedEvents, windowEvents, now.partEvents(), nowNanos);
            usedBytes.add(receivedBytes);
            usedEvents.add(receivedEvents);
            if (!waited && waitNanos(nowNanos) > 0) {
                waited = true;
            }
        }

        /** How long the sensor has to wait before it sends more, at the rate of now; 0 = not at all. */
        public long waitNanos(long nowNanos) {
            Grants now = grants;
            long forBytes = Math.min(
                    nanosOwed(bytes, Double.MAX_VALUE, now.bytes(), nowNanos),
                    nanosOwed(part.bytes, most(windowBytes, now.partBytes()), now.partBytes(), nowNanos));
            long forEvents = Math.min(
                    nanosOwed(events, Double.MAX_VALUE, now.events(), nowNanos),
                    nanosOwed(part.events, most(windowEvents, now.partEvents()), now.partEvents(), nowNanos));
            return Math.max(0, Math.max(forBytes, forEvents));
        }

        /** The connection is gone; a second call does nothing. */
        public void close(long nowNanos) {
            if (!closed) {
                closed = true;
                int connected = connected(-1, nowNanos);
                parts.computeIfPresent(sensorId, (id, left) -> {
                    left.sessions--;
                    return left.sessions == 0 && parts.mappingCount() - connected > MAX_GONE ? null : left;
                });
            }
        }
    }

    private static void chargeAll(RateBucket bucket, long amount, Granted granted, long nowNanos) {
        bucket.charge(amount, BURST_SECONDS * granted.perSecond(), Long.MAX_VALUE / 4, granted, nowNanos);
    }

    private static void chargePart(RateBucket bucket, long amount, long window, Granted granted, long nowNanos) {
        bucket.charge(amount, BURST_SECONDS * granted.perSecond(), most(window, granted), granted, nowNanos);
    }

    private static double most(long window, Granted granted) {
        return PATIENCE_SECONDS * granted.perSecond() + window;
    }

    private static long nanosOwed(RateBucket bucket, double most, Granted granted, long nowNanos) {
        return granted.nanosFor(Math.min(most, bucket.debt(granted, nowNanos)));
    }
}
