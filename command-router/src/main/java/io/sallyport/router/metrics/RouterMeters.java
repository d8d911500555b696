package io.sallyport.router.metrics;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.identity.CustomerLabels;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.router.core.AlertKind;
import io.sallyport.router.core.Effect;
import io.sallyport.router.core.Note;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Counters and timers by message type and customer, never by sensor. Safe for use by many threads. */
public final class RouterMeters {
    /** The last is the default bound of a queue. */
    private static final double[] QUEUE_BUCKETS = {1, 4, 16, 64, 256};

    private final MeterRegistry registry;
    private final Alerts alerts;
    private final CustomerLabels customers = new CustomerLabels();
    private final Map<String, AtomicLong> depths = new ConcurrentHashMap<>();
    private final Map<Series, Timer> pushDelays = new ConcurrentHashMap<>();
    private final Timer answerTime;
    private final DistributionSummary queueLength;

    private record Series(String path, String type) {}

    public RouterMeters(MeterRegistry registry) {
        this.registry = registry;
        this.alerts = new Alerts(registry, AlertKind.values());
        this.answerTime = Timer.builder("sallyport.command.answer.time")
                .description("from the acceptance of a message to its sensor's acknowledgement")
                .publishPercentileHistogram()
                .maximumExpectedValue(Duration.ofMinutes(10))
                .register(registry);
        this.queueLength = DistributionSummary.builder("sallyport.command.queue.length")
                .description("entries of one sensor that are pending or in flight, whenever their number changes")
                .serviceLevelObjectives(QUEUE_BUCKETS)
                .register(registry);
    }

    /** @param detail may hold what a tenant or a sensor wrote: it is escaped here */
    public void alert(AlertKind kind, String detail) {
        alerts.raise(kind, detail);
    }

    public void note(Note note) {
        registry.counter("sallyport.command.notes", "note", lower(note)).increment();
        if (note == Note.STALE_UNREGISTER) {
            registry.counter("sallyport.stale.unregister").increment();
        }
    }

    /** An input that nobody can act on; {@code reason} is a constant. */
    public void skipped(String reason) {
        registry.counter("sallyport.command.inputs.skipped", "reason", reason).increment();
    }

    /** A target that has come to a state. */
    public void reached(TargetState state, QueueEntry message, long nowUs) {
        registry.counter(
                        "sallyport.command.targets",
                        "state",
                        lower(state),
                        "type",
                        type(message),
                        "customer",
                        customers.of(message.getCustomerId()))
                .increment();
        if (state == TargetState.ACKED) {
            answerTime.record(Math.max(0, nowUs - message.getAcceptedAtUs()), TimeUnit.MICROSECONDS);
        }
    }

    public void pushed(Effect.Path path, QueueEntry message, boolean first, long nowUs) {
        registry.counter(
                        "sallyport.command.pushes",
                        "path",
                        lower(path),
                        "type",
                        type(message),
                        "customer",
                        customers.of(message.getCustomerId()))
                .increment();
        if (first && path == Effect.Path.LIVE) {
            pushDelays
                    .computeIfAbsent(new Series(lower(path), type(message)), this::pushDelay)
                    .record(
                            Math.max(0, nowUs - Math.max(message.getAcceptedAtUs(), message.getDeliverAtUs())),
                            TimeUnit.MICROSECONDS);
        }
    }

    /** Entries that are pending or in flight on this node, by customer. */
    public void depthChanged(String customerId, long change) {
        if (change != 0) {
            depths.computeIfAbsent(customers.of(customerId), this::depth).addAndGet(change);
        }
    }

    /** A sensor's queue has as many entries from now on. */
    public void queueIs(int entries) {
        queueLength.record(entries);
    }

    public void threadFailed() {
        registry.counter("sallyport.command.thread.failures").increment();
    }

    private AtomicLong depth(String customer) {
        var depth = new AtomicLong();
        Gauge.builder("sallyport.command.queue.depth", depth, AtomicLong::get)
                .tag("customer", customer)
                .register(registry);
        return depth;
    }

    private Timer pushDelay(Series series) {
        return Timer.builder("sallyport.command.push.delay")
                .description("from the acceptance of a message, or the end of its jitter, to its first push")
                .tag("path", series.path())
                .tag("type", series.type())
                .publishPercentileHistogram()
                .maximumExpectedValue(Duration.ofMinutes(10))
                .register(registry);
    }

    /** Numbers of the registry are few; what is not registered has been refused and shares one series. */
    private static String type(QueueEntry message) {
        int type = message.getType();
        return type >= 0 && type < 256 ? Integer.toString(type) : CustomerLabels.OTHER;
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
