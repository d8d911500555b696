package io.sallyport.normalizer.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.identity.CustomerLabels;
import io.sallyport.normalizer.core.Decision;
import io.sallyport.normalizer.core.Effect;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Reason;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counters of the normalizer. They count what was decided: a transaction that was aborted and done again counts twice,
 * while the topics show it once.
 */
public final class NormalizerMetrics {
    private final MeterRegistry registry;
    private final Alerts alerts;
    private final CustomerLabels customers = new CustomerLabels();
    private final Map<Integer, Handled> handled = new ConcurrentHashMap<>();

    /**
     * How far a raw partition was handled.
     *
     * @param offset of the last handled record
     * @param appendMs its append time
     */
    public record Handled(long offset, long appendMs) {}

    public NormalizerMetrics(MeterRegistry registry, Alerts alerts) {
        this.registry = registry;
        this.alerts = alerts;
    }

    public Alerts alerts() {
        return alerts;
    }

    public void decided(Decision decision) {
        int events = 0;
        String customer = "";
        for (Effect effect : decision.effects()) {
            if (effect instanceof Effect.Commit commit) {
                customer = commit.admission().sensor().customerId();
                events++;
            }
        }
        if (events > 0) {
            registry.counter("sallyport.normalizer.events", "customer", customers.of(customer))
                    .increment(events);
        }
        Decision.Tally tally = decision.tally();
        if (tally.duplicates() > 0) {
            registry.counter("sallyport.normalizer.duplicates").increment(tally.duplicates());
        }
        if (tally.stillDeclared() > 0) {
            registry.counter("sallyport.normalizer.still.declared").increment(tally.stillDeclared());
        }
        if (tally.skewed() > 0) {
            registry.counter("sallyport.normalizer.clock.skewed", "customer", customers.of(customer))
                    .increment(tally.skewed());
            alerts.raise(AlertKind.CLOCK_SKEW, tally.skewed() + " events of customer " + customer + " in one batch");
        }
    }

    public void marked(CoverageMarker marker) {
        String reason = marker.getReason().name();
        registry.counter("sallyport.normalizer.markers", "reason", reason).increment();
        switch (marker.getReason()) {
            case IDENTITY_COLLISION -> {
                registry.counter("sallyport.normalizer.collisions").increment(marker.getCount());
                alerts.raise(AlertKind.IDENTITY_COLLISION, of(marker));
            }
            case UNDECODABLE -> alerts.raise(AlertKind.UNDECODABLE, of(marker));
            case RETENTION_OVERRUN -> alerts.raise(AlertKind.RETENTION_OVERRUN, of(marker));
            default -> {
                // The other markers are no surprise to an operator, or are alerted where their cause is known.
            }
        }
    }

    public void quarantined(Reason reason) {
        registry.counter("sallyport.normalizer.quarantined", "reason", reason.name())
                .increment();
    }

    public void handled(int partition, long offset, long appendMs) {
        handled.put(partition, new Handled(offset, appendMs));
    }

    /** Empty where this instance has handled nothing of that partition since it started. */
    public Optional<Handled> handled(int partition) {
        return Optional.ofNullable(handled.get(partition));
    }

    /** Lag gauges of one partition; registering twice changes nothing. */
    public void gauge(String name, int partition, java.util.function.DoubleSupplier value) {
        Gauge.builder(name, value::getAsDouble)
                .tag("partition", Integer.toString(partition))
                .register(registry);
    }

    private static String of(CoverageMarker marker) {
        String whose =
                marker.getCustomerId().isEmpty() ? "" : marker.getCustomerId() + "/" + marker.getSensorId() + ", ";
        return whose + "raw partition " + marker.getOrigin().getRawPartition() + " offset "
                + marker.getOrigin().getRawOffset() + ": " + marker.getDetail();
    }
}
