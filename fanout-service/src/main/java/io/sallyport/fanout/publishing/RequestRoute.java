package io.sallyport.fanout.publishing;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Publisher;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.kafka.LogProducer;
import io.sallyport.proto.log.v1.DecisionOutcome;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.MessageDecision;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of a request through the log: appended on all in-sync replicas, decided, and its decision read back. */
public final class RequestRoute {
    private static final Logger LOG = LoggerFactory.getLogger(RequestRoute.class);

    private final LogProducer log;
    private final DecisionWaiters waiters;
    private final Clock clock;
    private final Duration timeout;

    /** @param timeout for the append and the decision together */
    public RequestRoute(LogProducer log, DecisionWaiters waiters, Clock clock, Duration timeout) {
        this.log = log;
        this.waiters = waiters;
        this.clock = clock;
        this.timeout = timeout;
    }

    /** @param request without what this node adds: its id, principal and time of receipt */
    CompletableFuture<Answer<MessageDecision>> send(
            Publisher publisher, String customerId, IngressRecord.Builder request) {
        String requestId = UUID.randomUUID().toString();
        var waiter = waiters.register(customerId, requestId);
        if (waiter.isEmpty()) {
            return CompletableFuture.completedFuture(
                    Answer.refused(ErrorCode.OVERLOADED.because("too many requests wait for a decision")));
        }
        CompletableFuture<MessageDecision> decision = waiter.get();
        var record = request.setRequestId(requestId)
                .setPrincipal(publisher.actingFor(customerId))
                .setReceivedAtUs(TimeUnit.MILLISECONDS.toMicros(clock.millis()))
                .build();
        var appended = log.request(customerId, record);
        appended.whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.warn("a request could not be appended to ingress", failure);
                decision.completeExceptionally(failure);
            }
        });
        return decision.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).handle((decided, failure) -> {
            if (failure == null) {
                return answer(decided);
            }
            // A failed append may still have reached the log; the msg_id makes the repetition safe either way.
            return Answer.refused(
                    appended.isDone() && !appended.isCompletedExceptionally()
                            ? ErrorCode.DECISION_TIMEOUT.because(
                                    "no decision within " + timeout + "; repeat the request with the same msg_id")
                            : ErrorCode.LOG_UNAVAILABLE.because("the log did not take the request"));
        });
    }

    private static Answer<MessageDecision> answer(MessageDecision decision) {
        var answer = decision.getAnswer();
        if (answer.getOutcome() == DecisionOutcome.DECISION_REFUSED
                || answer.getOutcome() == DecisionOutcome.DECISION_CONFLICT) {
            return Answer.refused(new Refusal(
                    ErrorCode.named(answer.getCode()).orElse(ErrorCode.INTERNAL),
                    answer.getDetail(),
                    answer.getPosition()));
        }
        return Answer.of(decision);
    }
}
