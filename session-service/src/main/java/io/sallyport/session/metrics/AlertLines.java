package io.sallyport.session.metrics;

import io.sallyport.session.core.AlertKind;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log lines of alerts. Of a flood of one kind there is one line a second, which says how many had none. */
final class AlertLines {
    private static final Logger LOG = LoggerFactory.getLogger("io.sallyport.session.alerts");
    private static final long LINE_EVERY_NANOS = 1_000_000_000L;

    private final Map<AlertKind, Kind> kinds = new EnumMap<>(AlertKind.class);

    private record Kind(AtomicLong nextNanos, AtomicLong unlogged) {}

    AlertLines() {
        for (AlertKind kind : AlertKind.values()) {
            kinds.put(kind, new Kind(new AtomicLong(System.nanoTime()), new AtomicLong()));
        }
    }

    void write(AlertKind kind, String about, String detail) {
        Kind known = java.util.Objects.requireNonNull(kinds.get(kind));
        long nowNanos = System.nanoTime();
        long due = known.nextNanos().get();
        if (nowNanos - due < 0 || !known.nextNanos().compareAndSet(due, nowNanos + LINE_EVERY_NANOS)) {
            known.unlogged().incrementAndGet();
            return;
        }
        long unlogged = known.unlogged().getAndSet(0);
        LOG.warn(
                "alert {} {}: {}{}",
                kind,
                LogText.escape(about),
                LogText.escape(detail),
                unlogged == 0 ? "" : " (and " + unlogged + " before)");
    }
}
