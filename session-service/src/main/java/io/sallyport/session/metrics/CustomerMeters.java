package io.sallyport.session.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;

/** What one customer's sensors bring in; looked up once per session. */
public final class CustomerMeters {
    private static final double[] EVENT_BUCKETS = {1, 100, 1_000, 10_000, 100_000};
    private static final double[] BYTE_BUCKETS = {1 << 10, 1 << 20, 16 << 20, 128 << 20, 1 << 30};

    private final Counter batches;
    private final Counter events;
    private final Counter dropped;
    private final Counter bytes;
    private final DistributionSummary spoolEvents;
    private final DistributionSummary spoolBytes;

    CustomerMeters(MeterRegistry registry, String customerId) {
        this.batches = registry.counter("sallyport.ingest.batches", "customer", customerId);
        this.events = registry.counter("sallyport.ingest.events", "customer", customerId);
        this.dropped = registry.counter("sallyport.ingest.dropped", "customer", customerId);
        this.bytes = registry.counter("sallyport.ingest.bytes", "customer", customerId);
        this.spoolEvents = depth("sallyport.spool.events", EVENT_BUCKETS, registry, customerId);
        this.spoolBytes = depth("sallyport.spool.bytes", BYTE_BUCKETS, registry, customerId);
    }

    private static DistributionSummary depth(String name, double[] buckets, MeterRegistry registry, String customerId) {
        return DistributionSummary.builder(name)
                .tag("customer", customerId)
                .serviceLevelObjectives(buckets)
                .register(registry);
    }

    /** A batch was admitted; {@code droppedEvents} of its events were refused for their size. */
    public void admitted(int batchEvents, int droppedEvents, int frameBytes) {
        batches.increment();
        events.increment(batchEvents);
        bytes.increment(frameBytes);
        if (droppedEvents > 0) {
            dropped.increment(droppedEvents);
        }
    }

    /** What a sensor says is waiting in its spool; u64 values beyond a double's precision are rounded. */
    public void spool(long waitingEvents, long waitingBytes) {
        spoolEvents.record(unsigned(waitingEvents));
        spoolBytes.record(unsigned(waitingBytes));
    }

    private static double unsigned(long value) {
        return value >= 0 ? value : (value >>> 1) * 2.0;
    }
}
