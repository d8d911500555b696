package io.sallyport.session.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.identity.CustomerLabels;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.core.AlertKind;
import io.sallyport.session.core.Note;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The gateway's meters. Labels are enums and the first thousand customers, so their number is bounded. */
public final class GatewayMetrics {
    private static final Duration[] LATENCY_BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(1_000),
        Duration.ofMillis(5_000)
    };

    private final MeterRegistry registry;
    private final Map<RejectCode, Counter> rejects = new EnumMap<>(RejectCode.class);
    private final Map<Note, Counter> notes = new EnumMap<>(Note.class);
    private final Alerts alerts;
    private final CustomerLabels labels = new CustomerLabels();
    private final Map<String, CustomerMeters> customers = new ConcurrentHashMap<>();
    private final Timer rawAppend;
    private final Timer ack;
    private final Counter accepted;

    public GatewayMetrics(MeterRegistry registry) {
        this.registry = registry;
        for (RejectCode code : RejectCode.values()) {
            if (code != RejectCode.UNRECOGNIZED) {
                rejects.put(code, registry.counter("sallyport.link.rejects", "code", code.name()));
            }
        }
        for (Note note : Note.values()) {
            notes.put(note, registry.counter("sallyport.link.notes", "kind", note.label()));
        }
        this.alerts = new Alerts(registry, AlertKind.values());
        this.rawAppend = timer("sallyport.raw.append");
        this.ack = timer("sallyport.ack.latency");
        this.accepted = registry.counter("sallyport.sessions.accepted");
    }

    /**
     * A value that is read when the meters are.
     *
     * @param tags names and values in turn, of which there are few
     */
    public void gauge(String name, Supplier<Number> value, String... tags) {
        Gauge.builder(name, value).tags(tags).strongReference(true).register(registry);
    }

    public void rejected(RejectCode code) {
        increment(rejects.get(code));
    }

    public void noted(Note note) {
        increment(notes.get(note));
    }

    /** Counts an alert that its finder logs. */
    public void alerted(AlertKind kind) {
        alerts.count(kind);
    }

    /**
     * Counts an alert and logs it; what is from outside is escaped here.
     *
     * @param about a sensor or a customer
     */
    public void alert(AlertKind kind, Object about, String detail) {
        alerts.raise(kind, about + ": " + detail);
    }

    public void accepted() {
        accepted.increment();
    }

    /** From handing a record over to its confirmation. */
    public void appended(long nanos) {
        rawAppend.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** From the receipt of a batch to the ACK that tells of it. */
    public void acknowledged(long nanos) {
        ack.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Those of the customer, or those that customers beyond a bound share. */
    public CustomerMeters customer(String customerId) {
        return customers.computeIfAbsent(labels.of(customerId), label -> new CustomerMeters(registry, label));
    }

    private Timer timer(String name) {
        return Timer.builder(name).serviceLevelObjectives(LATENCY_BUCKETS).register(registry);
    }

    private static void increment(@org.jspecify.annotations.Nullable Counter counter) {
        if (counter != null) {
            counter.increment();
        }
    }
}
