package io.sallyport.normalizer.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * How near consumer groups are to losing what they have not read: a gauge for each group and topic, gone with the group,
 * and an alert from half of the retention on. Fed by one thread.
 */
public final class GroupMeters {
    /** Whoever names groups at random shall not fill the metrics: this many are watched. */
    public static final int MAX_GROUPS = 50;
    /** Fraction of the retention that raises the alert, and the one that lets it be raised again. */
    static final double ALERT = 0.5;

    static final double CALM = 0.25;
    private static final int MAX_NAME = 120;

    private final MeterRegistry registry;
    private final Alerts alerts;
    private final Map<Reading, Shown> shown = new HashMap<>();
    private final Set<Reading> alerted = new HashSet<>();
    private final AtomicInteger unwatched = new AtomicInteger();

    /** Whose progress on which topic. */
    public record Reading(String group, String topic) {}

    private record Shown(Meter.Id meter, AtomicReference<Double> used) {}

    public GroupMeters(MeterRegistry registry, Alerts alerts) {
        this.registry = registry;
        this.alerts = alerts;
        registry.gauge("sallyport.group.unwatched", unwatched);
    }

    /** Groups beyond {@link #MAX_GROUPS}. */
    public void unwatched(int groups) {
        unwatched.set(groups);
    }

    /** What was seen of every group that is there; those not named are gone. */
    public void seen(Map<Reading, Double> used) {
        Set<Reading> gone = new HashSet<>(shown.keySet());
        gone.removeAll(used.keySet());
        gone.forEach(reading -> {
            Shown of = shown.remove(reading);
            if (of != null) {
                registry.remove(of.meter());
            }
            alerted.remove(reading);
        });
        used.forEach((reading, fraction) -> {
            shown.computeIfAbsent(reading, this::show).used().set(fraction);
            if (fraction >= ALERT && alerted.add(reading)) {
                alerts.raise(
                        AlertKind.CONSUMER_LAG,
                        "group " + printable(reading.group()) + " has used up " + Math.round(fraction * 100)
                                + " % of the retention of " + reading.topic()
                                + (fraction >= 1 ? ": records it did not read are gone or about to go" : ""));
            } else if (fraction <= CALM) {
                alerted.remove(reading);
            }
        });
    }

    private Shown show(Reading reading) {
        var used = new AtomicReference<>(0.0);
        Gauge gauge = Gauge.builder("sallyport.group.retention.used", used, AtomicReference::get)
                .tag("group", printable(reading.group()))
                .tag("topic", reading.topic())
                .strongReference(true)
                .register(registry);
        return new Shown(gauge.getId(), used);
    }

    /** Names of groups are whatever consumers say. */
    private static String printable(String group) {
        String cut = group.length() > MAX_NAME ? group.substring(0, MAX_NAME) : group;
        return cut.replaceAll("[^0-9A-Za-z._:@/ -]", "?");
    }
}
