package io.sallyport.fanout.core;

import io.sallyport.proto.log.v1.AuditRecord;
import io.sallyport.proto.log.v1.DecisionOutcome;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.Target;

/** What the trail keeps of publishing. */
public final class AuditTrail {
    private static final int MAX_SELECTOR = 4_096;

    private AuditTrail() {}

    /** One record for each request that was decided, whatever came of it. */
    public static AuditRecord decided(Request request, MessageDecision decision) {
        IngressRecord record = request.record();
        Target target = record.hasPublish() ? record.getPublish().getTarget() : decision.getTarget();
        int bound = record.getPublish().getMaxTargets();
        return AuditRecord.newBuilder()
                .setAtUs(request.appendedAtUs())
                .setBy(record.getPrincipal().getSubject())
                .setAction(record.hasCancel() ? "cancel" : "publish")
                .setCustomerId(request.customerId())
                .setSubject(Decider.msgId(request))
                .setOutcome(outcome(decision.getAnswer().getOutcome()))
                .setCode(decision.getAnswer().getCode())
                .setDetail("type=" + (record.hasPublish() ? record.getPublish().getType() : decision.getType()) + ' '
                        + target(target) + (bound == 0 ? "" : " max_targets=" + Integer.toUnsignedString(bound)))
                .setCount(decision.getResolved())
                .setRevision(request.revision())
                .build();
    }

    /** A change that a publisher made besides messages. */
    public static AuditRecord changed(
            Publisher publisher, String action, String customerId, String subject, long count, long nowUs) {
        return AuditRecord.newBuilder()
                .setAtUs(nowUs)
                .setBy(publisher.subject())
                .setAction(action)
                .setCustomerId(customerId)
                .setSubject(subject)
                .setOutcome("done")
                .setCount(count)
                .build();
    }

    private static String outcome(DecisionOutcome outcome) {
        return switch (outcome) {
            case DECISION_ACCEPTED -> "accepted";
            case DECISION_SAME -> "same";
            case DECISION_CONFLICT -> "conflict";
            case DECISION_REFUSED -> "refused";
            case DECISION_CANCELLED -> "cancelled";
            case DECISION_UNSPECIFIED, UNRECOGNIZED -> "unknown";
        };
    }

    /** The edges take no longer one, but whoever writes to `ingress` itself could make a record that no topic takes. */
    private static String cut(String selector) {
        return selector.length() <= MAX_SELECTOR ? selector : selector.substring(0, MAX_SELECTOR);
    }

    private static String target(Target target) {
        return switch (target.getTargetCase()) {
            case SENSOR_ID -> "sensor=" + target.getSensorId();
            case FLEET -> "fleet";
            case SELECTOR -> "selector=" + cut(target.getSelector());
            case SEGMENT -> "segment=" + target.getSegment();
            case TARGET_NOT_SET -> "target=none";
        };
    }
}
