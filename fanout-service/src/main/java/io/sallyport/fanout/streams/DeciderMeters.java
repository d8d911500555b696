package io.sallyport.fanout.streams;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.edge.alerts.LogText;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.fanout.core.AlertKind;
import io.sallyport.fanout.core.Decider;
import io.sallyport.fanout.core.Request;
import io.sallyport.proto.log.v1.DecisionOutcome;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.Target;
import io.sallyport.tracing.CommandTraces;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the decider counts and traces, and its audit log: one line per publish and per cancellation. */
public final class DeciderMeters {
    private static final Logger AUDIT = LoggerFactory.getLogger("sallyport.audit");

    private final MeterRegistry meters;
    private final Alerts alerts;
    private final CommandTraces traces;
    private final Counter entries;

    public DeciderMeters(MeterRegistry meters, Alerts alerts, CommandTraces traces) {
        this.meters = meters;
        this.alerts = alerts;
        this.traces = traces;
        this.entries = meters.counter("sallyport.fanout.entries");
    }

    void decided(Request request, MessageDecision decision) {
        var answer = decision.getAnswer();
        meters.counter(
                        "sallyport.fanout.decisions",
                        "outcome",
                        answer.getOutcome().name(),
                        "reason",
                        answer.getCode())
                .increment();
        var record = request.record();
        AUDIT.info(
                "{} who={} customer={} msg_id={} type={} {} count={} override={} outcome={} code={} revision={}",
                record.hasCancel() ? "cancel" : "publish",
                LogText.escape(record.getPrincipal().getSubject()),
                request.customerId(),
                Decider.msgId(request),
                record.hasPublish() ? record.getPublish().getType() : decision.getType(),
                target(record.hasPublish() ? record.getPublish().getTarget() : decision.getTarget()),
                decision.getResolved(),
                record.getPublish().getMaxTargets() == 0
                        ? "none"
                        : record.getPublish().getMaxTargets(),
                answer.getOutcome(),
                answer.getCode().isEmpty() ? "-" : answer.getCode(),
                request.revision());
        trace(request, decision);
    }

    /** Whether the steps of the message are told to the trace collector. */
    boolean isTraced(Request request) {
        return MessageKey.of(request.customerId(), Decider.msgId(request))
                .filter(traces::isSampled)
                .isPresent();
    }

    private void trace(Request request, MessageDecision decision) {
        if (decision.getAnswer().getOutcome() == DecisionOutcome.DECISION_ACCEPTED && isTraced(request)) {
            traces.published(
                    new MessageKey(decision.getCustomerId(), decision.getMsgId()),
                    request.record().getReceivedAtUs(),
                    System.currentTimeMillis() * 1_000,
                    "accepted",
                    decision.getResolved());
        }
    }

    void entries(int count) {
        entries.increment(count);
    }

    void alert(AlertKind kind, String detail) {
        alerts.raise(kind, detail);
    }

    private static String target(Target target) {
        return switch (target.getTargetCase()) {
            case SENSOR_ID -> "sensor=" + LogText.escape(target.getSensorId());
            case FLEET -> "fleet=true";
            case SELECTOR -> "selector=\"" + LogText.escape(target.getSelector()) + '"';
            case SEGMENT -> "segment=" + LogText.escape(target.getSegment());
            case TARGET_NOT_SET -> "target=none";
        };
    }
}
