package io.sallyport.edge.alerts;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a person should look at: the counter {@code sallyport.alerts} by kind, and a log line; of a flood of one kind, a line
 * per second that says how many had none. Thread-safe.
 */
public final class Alerts {
    private static final Logger LOG = LoggerFactory.getLogger(Alerts.class);
    private static final long LINE_EVERY_NANOS = 1_000_000_000L;

    private final MeterRegistry registry;
    private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

    private record Kind(Counter counter, AtomicLong nextLineNanos, AtomicLong unlogged) {}

    /** @param known are there as counters from the beginning, so that the first of a kind is seen to be one more than before */
    public Alerts(MeterRegistry registry, Enum<?>... known) {
        this.registry = registry;
        for (Enum<?> kind : known) {
            of(kind);
        }
    }

    /** @param detail may quote what a tenant or a sensor sent: it is escaped here */
    public void raise(Enum<?> kind, String detail) {
        Kind known = of(kind);
        known.counter().increment();
        long now = System.nanoTime();
        long due = known.nextLineNanos().get();
        if (now - due >= 0 && known.nextLineNanos().compareAndSet(due, now + LINE_EVERY_NANOS)) {
            long unlogged = known.unlogged().getAndSet(0);
            LOG.warn(
                    "alert {}: {}{}",
                    kind,
                    LogText.escape(detail),
                    unlogged == 0 ? "" : " (and " + unlogged + " before)");
        } else {
            known.unlogged().incrementAndGet();
        }
    }

    /** Counts one that its finder logs. */
    public void count(Enum<?> kind) {
        of(kind).counter().increment();
    }

    private Kind of(Enum<?> kind) {
        return kinds.computeIfAbsent(
                kind.name(),
                name -> new Kind(
                        registry.counter("sallyport.alerts", "kind", name),
                        new AtomicLong(System.nanoTime()),
                        new AtomicLong()));
    }
}
