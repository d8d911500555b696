package io.sallyport.fanout.core;

import com.google.protobuf.ByteString;
import io.sallyport.proto.log.v1.CloudMessage;
import io.sallyport.proto.log.v1.DecisionOutcome;
import io.sallyport.proto.log.v1.MessageBody;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.RequestAnswer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The single writer's rules for messages (semantics, section 6). A message is its customer and msg_id; the first valid
 * content under it wins, and everything that may be refused is looked at again here, since an edge may be old or a
 * record forged.
 */
public final class Decider {
    private final FanoutLimits limits;
    private final MessageRules rules;
    private final Registry registry;
    private final TargetResolver resolver;

    public Decider(FanoutLimits limits, Registry registry, TargetResolver resolver) {
        this.limits = limits;
        this.rules = new MessageRules(limits);
        this.registry = registry;
        this.resolver = resolver;
    }

    /**
     * @param known the message's decision so far; null where no request under its msg_id was accepted
     * @param nowUs for selectors that speak of time, and for preview tokens
     */
    public Verdict decide(@Nullable MessageDecision known, Request request, long nowUs) {
        var record = request.record();
        return switch (record.getRequestCase()) {
            case PUBLISH -> {
                CloudMessage message = record.getPublish();
                yield forgery(request, message.getCustomerId(), message.getMsgId())
                        .orElseGet(() -> publish(known, request, message, nowUs));
            }
            case CANCEL -> {
                var cancel = record.getCancel();
                yield forgery(request, cancel.getCustomerId(), cancel.getMsgId())
                        .orElseGet(() -> cancel(known, request));
            }
            case REQUEST_NOT_SET -> new Verdict.Dropped("a request of unknown kind", false);
        };
    }

    /** What is answered where too many requests of the customer wait already; a forged one is still dropped. */
    public Verdict overloaded(@Nullable MessageDecision known, Request request) {
        var record = request.record();
        String customerId = record.hasCancel()
                ? record.getCancel().getCustomerId()
                : record.getPublish().getCustomerId();
        String msgId = msgId(request);
        return forgery(request, customerId, msgId)
                .orElseGet(() -> answered(
                        known == null ? unaccepted(request, msgId) : known,
                        request,
                        DecisionOutcome.DECISION_REFUSED,
                        ErrorCode.OVERLOADED.because("too many requests of the customer wait for a decision")));
    }

    /** The msg_id that a request speaks of, whatever its kind. */
    public static String msgId(Request request) {
        var record = request.record();
        return record.hasCancel()
                ? record.getCancel().getMsgId()
                : record.getPublish().getMsgId();
    }

    private Optional<Verdict> forgery(Request request, String customerId, String msgId) {
        Principal principal = request.record().getPrincipal();
        if (!customerId.equals(request.customerId())
                || !principal.getCustomersList().contains(customerId)) {
            return Optional.of(new Verdict.Dropped("customer_id is neither the key's nor the principal's", true));
        }
        return Keys.isValidMsgId(msgId)
                ? Optional.empty()
                : Optional.of(new Verdict.Dropped("msg_id breaks the syntax", false));
    }

    private Verdict publish(@Nullable MessageDecision known, Request request, CloudMessage message, long nowUs) {
        ByteString hash = MessageContent.hash(message);
        if (known != null) {
            return known.getContentHash().equals(hash)
                    ? answered(known, request, DecisionOutcome.DECISION_SAME, null)
                    : answered(
                            known,
                            request,
                            DecisionOutcome.DECISION_CONFLICT,
                            ErrorCode.MSG_ID_CONFLICT.because("the msg_id was accepted with other content"));
        }
        Answer<Verdict> accepted = check(message, request.record().getPrincipal())
                .then(type -> targets(message, nowUs)
                        .map(targets -> accept(
                                request, message, type, resolver.plan(message.getCustomerId(), targets, nowUs), hash)));
        if (accepted instanceof Answer.Given<Verdict> given) {
            return given.value();
        }
        return answered(
                unaccepted(request, message.getMsgId()),
                request,
                DecisionOutcome.DECISION_REFUSED,
                ((Answer.Refused<Verdict>) accepted).refusal());
    }

    private Answer<MessageTypeSpec> check(CloudMessage message, Principal principal) {
        Optional<Refusal> broken = rules.check(message);
        if (broken.isPresent()) {
            return Answer.refused(broken.get());
        }
        if (!registry.isActive(message.getCustomerId())) {
            return Answer.refused(
                    ErrorCode.UNKNOWN_CUSTOMER.because("the customer '" + message.getCustomerId() + "' is not active"));
        }
        return registry.messageType(message.getType())
                .map(type -> Scopes.missing(principal, type)
                        .map(Answer::<MessageTypeSpec>refused)
                        .orElseGet(() -> Answer.of(type)))
                .orElseGet(() -> Answer.refused(ErrorCode.UNKNOWN_TYPE.because(
                        "no message type has the number " + Integer.toUnsignedString(message.getType()))));
    }

    private Answer<SensorSet> targets(CloudMessage message, long nowUs) {
        return resolver.resolve(message.getCustomerId(), message.getTarget(), nowUs)
                .then(targets -> {
                    if (!message.getPreviewToken().isEmpty()) {
                        PreviewToken token =
                                PreviewToken.parse(message.getPreviewToken()).orElseThrow();
                        if (token.expiresAtMs() * 1_000 < nowUs) {
                            return Answer.refused(ErrorCode.PREVIEW_STALE.because("the preview has expired"));
                        }
                        if (!token.names(message.getCustomerId(), targets)) {
                            return Answer.refused(ErrorCode.PREVIEW_STALE.because(
                                    "the target resolves to %d sensors now, and they are not those that were previewed"
                                            .formatted(targets.size())));
                        }
                    }
                    int bound = message.getMaxTargets() == 0 ? limits.maxTargets() : message.getMaxTargets();
                    return targets.size() > bound
                            ? Answer.refused(ErrorCode.THRESHOLD.because(
                                    "the target resolves to %d sensors, more than %d; name max_targets of at least %d to reach them"
                                            .formatted(targets.size(), bound, targets.size())))
                            : Answer.of(targets);
                });
    }

    private Verdict accept(Request request, CloudMessage message, MessageTypeSpec type, Plan plan, ByteString hash) {
        long ttlMs = message.hasTtlMs() ? message.getTtlMs() : type.getDefaultTtlMs();
        long expiresAtUs = request.appendedAtUs() + ttlMs * 1_000;
        long windowMs;
        if (!type.getJittered()) {
            windowMs = 0;
        } else if (message.hasJitterMs()) {
            windowMs = Jitter.bounded(message.getJitterMs(), ttlMs);
        } else {
            windowMs = Jitter.windowMs(limits, plan.sensorIds().size(), ttlMs);
        }
        Principal principal = request.record().getPrincipal();
        var decision = MessageDecision.newBuilder()
                .setCustomerId(message.getCustomerId())
                .setMsgId(message.getMsgId())
                .setRevision(request.revision())
                .setContentHash(hash)
                .setPrincipal(principal)
                .setTarget(message.getTarget())
                .setType(message.getType())
                .setPriority(message.getPriority())
                .setCoalesceKey(message.getCoalesceKey())
                .setAcceptedAtUs(request.appendedAtUs())
                .setExpiresAtUs(expiresAtUs)
                .setResolved(plan.sensorIds().size())
                .setChunks(plan.chunks())
                .setJitterWindowMs(windowMs)
                .setAccepted(true)
                .setAnswer(answer(request, DecisionOutcome.DECISION_ACCEPTED, null))
                .build();
        var body = MessageBody.newBuilder()
                .setCustomerId(message.getCustomerId())
                .setMsgId(message.getMsgId())
                .setType(message.getType())
                .setPayload(message.getPayload())
                .build();
        var entry = QueueEntry.newBuilder()
                .setCustomerId(message.getCustomerId())
                .setMsgId(message.getMsgId())
                .setRevision(request.revision())
                .setType(message.getType())
                .setPriority(message.getPriority())
                .setCoalesceKey(message.getCoalesceKey())
                .setAcceptedAtUs(request.appendedAtUs())
                .setExpiresAtUs(expiresAtUs)
                .setPrincipal(principal)
                .setJitterWindowMs(windowMs)
                .setPayloadBytes(message.getPayload().size())
                .build();
        return new Verdict.Accepted(decision, body, entry, plan, type.getLane());
    }

    private Verdict cancel(@Nullable MessageDecision known, Request request) {
        String msgId = msgId(request);
        if (known == null) {
            return answered(
                    unaccepted(request, msgId),
                    request,
                    DecisionOutcome.DECISION_REFUSED,
                    ErrorCode.UNKNOWN_MESSAGE.because("the customer has no message '" + msgId + "'"));
        }
        Optional<Refusal> missing = registry.messageType(known.getType())
                .flatMap(type -> Scopes.missing(request.record().getPrincipal(), type));
        if (missing.isPresent()) {
            return answered(known, request, DecisionOutcome.DECISION_REFUSED, missing.get());
        }
        if (known.getCancelRevision() != 0) {
            return answered(known, request, DecisionOutcome.DECISION_CANCELLED, null);
        }
        return new Verdict.Cancelled(known.toBuilder()
                .setCancelRevision(request.revision())
                .setAnswer(answer(request, DecisionOutcome.DECISION_CANCELLED, null))
                .build());
    }

    private static MessageDecision unaccepted(Request request, String msgId) {
        return MessageDecision.newBuilder()
                .setCustomerId(request.customerId())
                .setMsgId(msgId)
                .build();
    }

    private static Verdict answered(
            MessageDecision decision, Request request, DecisionOutcome outcome, @Nullable Refusal refusal) {
        return new Verdict.Answered(decision.toBuilder()
                .setAnswer(answer(request, outcome, refusal))
                .build());
    }

    private static RequestAnswer answer(Request request, DecisionOutcome outcome, @Nullable Refusal refusal) {
        var answer = RequestAnswer.newBuilder()
                .setRequestId(request.record().getRequestId())
                .setRevision(request.revision())
                .setOutcome(outcome);
        if (refusal != null) {
            answer.setCode(refusal.code().name()).setDetail(refusal.detail()).setPosition(refusal.position());
        }
        return answer.build();
    }
}
