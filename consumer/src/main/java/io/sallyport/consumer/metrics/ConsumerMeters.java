package io.sallyport.consumer.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.consumer.core.ShardProgress.Why;
import io.sallyport.edge.alerts.Alerts;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** What a consumer counts, by its group. */
public final class ConsumerMeters implements AutoCloseable {
    private final MeterRegistry registry;
    private final String group;
    private final Alerts alerts;
    private final Counter events;
    private final Counter markers;
    private final Counter failures;
    private final Counter deadLetters;
    private final Map<Why, Counter> passed = new EnumMap<>(Why.class);
    private final AtomicReference<Double> used = new AtomicReference<>(0.0);
    private final Gauge gauge;

    public ConsumerMeters(MeterRegistry registry, String group) {
        this.registry = registry;
        this.group = group;
        this.alerts = new Alerts(registry, AlertKind.values());
        this.events = counter("sallyport.consumer.events");
        this.markers = counter("sallyport.consumer.markers");
        this.failures = counter("sallyport.consumer.failures");
        this.deadLetters = counter("sallyport.consumer.dead.letters");
        for (Why why : Why.values()) {
            passed.put(
                    why,
                    registry.counter(
                            "sallyport.consumer.passed",
                            "group",
                            group,
                            "why",
                            why.name().toLowerCase(Locale.ROOT)));
        }
        this.gauge = Gauge.builder("sallyport.consumer.retention.used", used, AtomicReference::get)
                .tag("group", group)
                .register(registry);
    }

    private Counter counter(String name) {
        return registry.counter(name, "group", group);
    }

    public void event() {
        events.increment();
    }

    public void marker() {
        markers.increment();
    }

    /** The handler threw, or the brokers did not take or give what the group cannot go on without; it is tried again. */
    public void failure() {
        failures.increment();
    }

    /** A record was passed over. */
    public void passed(Why why) {
        Counter counter = passed.get(why);
        if (counter != null) {
            counter.increment();
        }
    }

    public void deadLetter(String text) {
        deadLetters.increment();
        alert(AlertKind.DEAD_LETTERED, text);
    }

    /** @param fraction of the retention that the oldest waiting record has used up */
    public void retentionUsed(double fraction) {
        used.set(fraction);
    }

    /** @param text is escaped here */
    public void alert(AlertKind kind, String text) {
        alerts.raise(kind, "group " + group + ": " + text);
    }

    /** The gauge of a consumer that has ended would go on telling its last value. */
    @Override
    public void close() {
        registry.remove(gauge);
    }
}
