package io.sallyport.fanout.alerts;

import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Raises alerts. Thread-safe. */
public final class Alerts {
    private static final Logger LOG = LoggerFactory.getLogger(Alerts.class);

    private final MeterRegistry meters;

    public Alerts(MeterRegistry meters) {
        this.meters = meters;
        for (AlertKind kind : AlertKind.values()) {
            count(kind, 0);
        }
    }

    /** @param detail may quote what a tenant sent: it is escaped here */
    public void raise(AlertKind kind, String detail) {
        count(kind, 1);
        LOG.warn("alert {}: {}", kind, LogText.escaped(detail));
    }

    private void count(AlertKind kind, int times) {
        meters.counter("sallyport.alerts", "kind", kind.name()).increment(times);
    }
}
