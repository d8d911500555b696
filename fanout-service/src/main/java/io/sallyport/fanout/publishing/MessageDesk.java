package io.sallyport.fanout.publishing;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.FanoutLimits;
import io.sallyport.fanout.core.Keys;
import io.sallyport.fanout.core.MessageRules;
import io.sallyport.fanout.core.PreviewToken;
import io.sallyport.fanout.core.Publisher;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.core.Registry;
import io.sallyport.fanout.core.Scopes;
import io.sallyport.fanout.core.SelectorParser;
import io.sallyport.fanout.core.SensorSet;
import io.sallyport.fanout.core.TargetResolver;
import io.sallyport.proto.log.v1.CancelMessage;
import io.sallyport.proto.log.v1.CloudMessage;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.Target;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Publishing, previewing and cancelling. */
public final class MessageDesk {
    private static final int SAMPLE = 20;

    private final FanoutLimits limits;
    private final Tenancy tenancy;
    private final ControlView control;
    private final RequestRoute route;
    private final MessageRules rules;

    /** What this node knows of the world, and how to look again before it says that something is unknown. */
    public record ControlView(
            Registry registry, SelectorParser parser, TargetResolver resolver, FreshReads fresh, Clock clock) {
        long nowUs() {
            return TimeUnit.MILLISECONDS.toMicros(clock.millis());
        }
    }

    /**
     * @param expiresAtUs of the token
     */
    public record Preview(
            String customerId, int count, List<String> sample, String token, long expiresAtUs, int defaultMaxTargets) {}

    public MessageDesk(FanoutLimits limits, Tenancy tenancy, ControlView control, RequestRoute route) {
        this.limits = limits;
        this.tenancy = tenancy;
        this.control = control;
        this.route = route;
        this.rules = new MessageRules(limits);
    }

    public CompletableFuture<Answer<MessageDecision>> publish(Publisher publisher, Draft draft) {
        Answer<CloudMessage> message = tenancy.customer(publisher, draft.customerId(), Publisher.SCOPE_PUBLISH)
                .then(customer -> draft.message()
                        .then(written -> type(publisher, customer, draft.type())
                                .then(type -> check(written.toBuilder()
                                        .setCustomerId(customer)
                                        .setType(type.getNumber())
                                        .build()))));
        return send(
                publisher,
                message.map(CloudMessage::getCustomerId),
                () -> IngressRecord.newBuilder().setPublish(((Answer.Given<CloudMessage>) message).value()));
    }

    public CompletableFuture<Answer<MessageDecision>> cancel(Publisher publisher, String customerId, String msgId) {
        Answer<String> customer = tenancy.customer(publisher, customerId, Publisher.SCOPE_PUBLISH)
                .then(known -> checkMsgId(known, msgId));
        return send(
                publisher,
                customer,
                () -> IngressRecord.newBuilder()
                        .setCancel(CancelMessage.newBuilder()
                                .setCustomerId(((Answer.Given<String>) customer).value())
                                .setMsgId(msgId)));
    }

    public Answer<Preview> preview(Publisher publisher, String customerId, TargetDraft draft) {
        return tenancy.customer(publisher, customerId, Publisher.SCOPE_PUBLISH)
                .then(customer -> draft.target().then(target -> preview(customer, target)));
    }

    private Answer<Preview> preview(String customer, Target target) {
        Optional<Refusal> broken = rules.checkTarget(target);
        if (broken.isPresent()) {
            return Answer.refused(broken.get());
        }
        Supplier<Answer<SensorSet>> sensors = () -> control.resolver().resolve(customer, target, control.nowUs());
        // A segment that was replaced just before must not be read as it was.
        return (target.hasSegment()
                        ? control.fresh().upToDate(customer, sensors)
                        : control.fresh().again(customer, sensors))
                .map(found -> preview(customer, found));
    }

    private Preview preview(String customer, SensorSet sensors) {
        long expiresAtMs = control.clock().millis() + limits.previewTtlMs();
        return new Preview(
                customer,
                sensors.size(),
                sensors.range(0, SAMPLE),
                PreviewToken.of(customer, sensors, expiresAtMs).text(),
                TimeUnit.MILLISECONDS.toMicros(expiresAtMs),
                limits.maxTargets());
    }

    private Answer<MessageTypeSpec> type(Publisher publisher, String customer, String name) {
        return control.fresh()
                .again(
                        customer,
                        () -> control.registry()
                                .messageType(name)
                                .map(Answer::of)
                                .orElseGet(() -> Answer.refused(
                                        ErrorCode.UNKNOWN_TYPE.because("no message type is called '" + name + "'"))))
                .then(type -> Scopes.missing(publisher.scopes(), type)
                        .map(Answer::<MessageTypeSpec>refused)
                        .orElseGet(() -> Answer.of(type)));
    }

    private Answer<CloudMessage> check(CloudMessage message) {
        Optional<Refusal> broken = rules.check(message);
        if (broken.isPresent()) {
            return Answer.refused(broken.get());
        }
        // A selector that cannot be parsed was never accepted, so it needs no place in the log.
        return message.getTarget().hasSelector()
                ? control.parser().parse(message.getTarget().getSelector()).map(selector -> message)
                : Answer.of(message);
    }

    static Answer<String> checkMsgId(String customer, String msgId) {
        return Keys.isValidMsgId(msgId)
                ? Answer.of(customer)
                : Answer.refused(ErrorCode.BAD_MSG_ID.because("msg_id breaks the syntax"));
    }

    private CompletableFuture<Answer<MessageDecision>> send(
            Publisher publisher, Answer<String> customer, Supplier<IngressRecord.Builder> request) {
        return customer instanceof Answer.Given<String> given
                ? route.send(publisher, given.value(), request.get())
                : CompletableFuture.completedFuture(Answer.refused(((Answer.Refused<String>) customer).refusal()));
    }
}
