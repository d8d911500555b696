package io.sallyport.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.sallyport.envelope.identity.MessageKey;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One tree of spans for a traced message: {@code publish} at its root, and for each traced target {@code queue}, under
 * it {@code hand over} and {@code answer}. Times are microseconds since 1970 and come from records, so that a step that
 * spans two services has its real length. Safe for use by many threads; never blocks and never fails a caller: what the
 * collector does not take in time is dropped.
 */
public final class CommandTraces implements AutoCloseable {
    public static final CommandTraces NONE = new CommandTraces(TracingSettings.OFF, "none", 0);

    private static final String PUBLISH = "publish";
    private static final String QUEUE = "queue";
    private static final String HAND_OVER = "hand over";
    private static final String ANSWER = "answer";
    private static final AttributeKey<String> CUSTOMER = AttributeKey.stringKey("sallyport.customer_id");
    private static final AttributeKey<String> MSG_ID = AttributeKey.stringKey("sallyport.msg_id");
    private static final AttributeKey<String> SENSOR = AttributeKey.stringKey("sallyport.sensor_id");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("sallyport.outcome");
    private static final AttributeKey<Long> COUNT = AttributeKey.longKey("sallyport.count");
    private static final int MAX_WAITING = 2_048;
    private static final Duration SEND_EVERY = Duration.ofSeconds(1);
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(5);

    private final double share;
    private final DerivedIds ids = new DerivedIds();
    private final @Nullable SdkTracerProvider provider;
    private final @Nullable Tracer tracer;

    /**
     * @param service as its spans name it
     * @param instance ordinal among those of the service
     */
    public CommandTraces(TracingSettings settings, String service, int instance) {
        this.share = settings.share();
        this.provider = settings.isOn() ? provider(settings, service, instance) : null;
        this.tracer = provider == null ? null : provider.get("io.sallyport.commands");
    }

    private SdkTracerProvider provider(TracingSettings settings, String service, int instance) {
        var exporter = OtlpHttpSpanExporter.builder()
                .setEndpoint(Objects.requireNonNull(settings.endpoint()).toString())
                .setTimeout(SEND_TIMEOUT)
                .build();
        return SdkTracerProvider.builder()
                .setIdGenerator(ids)
                .setResource(Resource.create(Attributes.of(
                        AttributeKey.stringKey("service.name"),
                        "sallyport-" + service,
                        AttributeKey.stringKey("service.instance.id"),
                        Integer.toString(instance))))
                .addSpanProcessor(BatchSpanProcessor.builder(exporter)
                        .setMaxQueueSize(MAX_WAITING)
                        .setScheduleDelay(SEND_EVERY)
                        .setExporterTimeout(SEND_TIMEOUT)
                        .build())
                .build();
    }

    /** Whether the message is one of the share that is traced. Follows from its ids alone. */
    public boolean isSampled(MessageKey message) {
        return tracer != null && new TraceIds(message).isWithin(share);
    }

    /** From the receipt of the request to its decision, which resolved to {@code targets} sensors. */
    public void published(MessageKey message, long receivedUs, long decidedUs, String outcome, long targets) {
        if (tracer != null) {
            var trace = new TraceIds(message);
            record(
                    trace,
                    trace.spanId(PUBLISH),
                    Context.root(),
                    new Step(PUBLISH, SpanKind.SERVER, receivedUs, decidedUs),
                    attributes(message)
                            .put(OUTCOME, outcome)
                            .put(COUNT, targets)
                            .build());
        }
    }

    /** From the acceptance to the first push of the message to its sensor's node. */
    public void queued(MessageKey message, String sensorId, long acceptedUs, long pushedUs) {
        target(message, sensorId, trace -> trace.spanId(PUBLISH), new Step(QUEUE, acceptedUs, pushedUs), null);
    }

    /** From the push to the sensor's connection. */
    public void handedOver(MessageKey message, String sensorId, long pushedUs, long sentUs) {
        target(message, sensorId, trace -> trace.spanId(QUEUE, sensorId), new Step(HAND_OVER, pushedUs, sentUs), null);
    }

    /** From the last push to the sensor's answer, or to the end that the target came to without one. */
    public void answered(MessageKey message, String sensorId, long pushedUs, long answeredUs, String outcome) {
        target(
                message,
                sensorId,
                trace -> trace.spanId(QUEUE, sensorId),
                new Step(ANSWER, pushedUs, answeredUs),
                outcome);
    }

    private void target(MessageKey message, String sensorId, ParentOf parent, Step step, @Nullable String outcome) {
        if (tracer == null) {
            return;
        }
        var trace = new TraceIds(message);
        var attributes = attributes(message).put(SENSOR, sensorId);
        if (outcome != null) {
            attributes.put(OUTCOME, outcome);
        }
        record(
                trace,
                trace.spanId(step.name(), sensorId),
                within(trace, parent.spanId(trace)),
                step,
                attributes.build());
    }

    private void record(TraceIds trace, String spanId, Context parent, Step step, Attributes attributes) {
        ids.next(trace.traceId(), spanId);
        Span span = Objects.requireNonNull(tracer)
                .spanBuilder(step.name())
                .setParent(parent)
                .setSpanKind(step.kind())
                .setAllAttributes(attributes)
                .setStartTimestamp(step.fromUs(), TimeUnit.MICROSECONDS)
                .startSpan();
        // Clocks of two nodes may disagree by a little.
        span.end(Math.max(step.fromUs(), step.toUs()), TimeUnit.MICROSECONDS);
    }

    private static Context within(TraceIds trace, String parentSpanId) {
        return Context.root()
                .with(Span.wrap(SpanContext.createFromRemoteParent(
                        trace.traceId(), parentSpanId, TraceFlags.getSampled(), TraceState.getDefault())));
    }

    private static AttributesBuilder attributes(MessageKey message) {
        return Attributes.builder().put(CUSTOMER, message.customerId()).put(MSG_ID, message.msgId());
    }

    /** Sends what waits, within a few seconds. */
    @Override
    public void close() {
        if (provider != null) {
            provider.shutdown().join(SEND_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private record Step(String name, SpanKind kind, long fromUs, long toUs) {
        Step(String name, long fromUs, long toUs) {
            this(name, SpanKind.INTERNAL, fromUs, toUs);
        }
    }

    private interface ParentOf {
        String spanId(TraceIds trace);
    }
}
