package io.sallyport.export.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An alert is the counter {@code sallyport.alerts} by kind, and a log line; of a flood of one kind, a line per second. */
public final class Alerts {
    private static final Logger LOG = LoggerFactory.getLogger(Alerts.class);
    private static final long LINE_EVERY_NANOS = 1_000_000_000L;

    private final MeterRegistry registry;
    private final Map<AlertKind, Kind> kinds = new ConcurrentHashMap<>();

    private record Kind(Counter counter, AtomicLong nextLineNanos, AtomicLong unlogged) {}

    public Alerts(MeterRegistry registry) {
        this.registry = registry;
    }

    /** @param text holds nothing that a tenant supplied, except ids whose syntax was checked */
    public void raise(AlertKind kind, String text) {
        Kind known = kinds.computeIfAbsent(
                kind,
                k -> new Kind(
                        registry.counter("sallyport.alerts", "kind", k.name()),
                        new AtomicLong(System.nanoTime()),
                        new AtomicLong()));
        known.counter().increment();
        long now = System.nanoTime();
        long due = known.nextLineNanos().get();
        if (now - due >= 0 && known.nextLineNanos().compareAndSet(due, now + LINE_EVERY_NANOS)) {
            long unlogged = known.unlogged().getAndSet(0);
            LOG.warn("alert {}: {}{}", kind, text, unlogged == 0 ? "" : " (and " + unlogged + " before)");
        } else {
            known.unlogged().incrementAndGet();
        }
    }
}
