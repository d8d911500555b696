package io.sallyport.fanout.publishing;

import io.sallyport.edge.alerts.Alerts;
import io.sallyport.fanout.core.AlertKind;
import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.FanoutLimits;
import io.sallyport.fanout.core.MessageCounts;
import io.sallyport.fanout.core.Publisher;
import io.sallyport.fanout.core.Registry;
import io.sallyport.fanout.status.StatusStore;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.PlanChunk;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What became of messages. */
public final class StatusDesk {
    private final Tenancy tenancy;
    private final StatusStore store;
    private final Registry registry;
    private final FreshReads fresh;
    private final Alerts alerts;

    /** @param typeName of the registry; the number where the type is no longer registered */
    public record MessageView(MessageDecision decision, String typeName, MessageCounts counts) {}

    /** @param nextPageToken empty after the last page */
    public record TargetPage(
            String customerId, String msgId, long resolved, List<TargetStatus> targets, String nextPageToken) {}

    public StatusDesk(Tenancy tenancy, StatusStore store, Registry registry, FreshReads fresh, Alerts alerts) {
        this.tenancy = tenancy;
        this.store = store;
        this.registry = registry;
        this.fresh = fresh;
        this.alerts = alerts;
    }

    public Answer<MessageView> message(Publisher publisher, String customerId, String msgId) {
        return decision(publisher, customerId, msgId).map(this::view);
    }

    /** The same, of a decision that was just made. */
    public MessageView view(MessageDecision decision) {
        var counts =
                MessageCounts.of(decision.getResolved(), store.counts(decision.getCustomerId(), decision.getMsgId()));
        if (counts.planned() < 0) {
            alerts.raise(
                    AlertKind.STATUS_SUM,
                    "message %s of %s has more states than targets: %s"
                            .formatted(decision.getMsgId(), decision.getCustomerId(), counts));
        }
        return new MessageView(
                decision,
                registry.messageType(decision.getType())
                        .map(MessageTypeSpec::getName)
                        .orElseGet(() -> Integer.toUnsignedString(decision.getType())),
                counts);
    }

    /** Every target in the order of the plan; what the router has not taken over is planned. */
    public Answer<TargetPage> targets(
            Publisher publisher, String customerId, String msgId, int pageSize, String pageToken) {
        return decision(publisher, customerId, msgId)
                .then(decision -> Page.of(pageSize, pageToken).then(page -> targets(decision, page)));
    }

    private Answer<TargetPage> targets(MessageDecision decision, Page page) {
        long from;
        try {
            from = page.after().isEmpty() ? 0 : Long.parseLong(page.after());
        } catch (NumberFormatException e) {
            from = -1;
        }
        if (from < 0 || from > decision.getResolved()) {
            return Answer.refused(ErrorCode.BAD_PAGE.because("page_token is not from this list"));
        }
        long first = from;
        return planned(decision, first, page.size())
                .then(sensors -> sensors.isEmpty() && first < decision.getResolved()
                        // An empty page would say that the list ends here.
                        ? Answer.refused(
                                ErrorCode.STATUS_LAGGING.because("this node has not read the plan yet; try again"))
                        : Answer.of(targets(decision, first, sensors)));
    }

    private TargetPage targets(MessageDecision decision, long from, List<String> sensors) {
        List<Optional<TargetStatus>> states = store.targets(decision.getCustomerId(), decision.getMsgId(), sensors);
        var targets = new ArrayList<TargetStatus>(sensors.size());
        for (int i = 0; i < sensors.size(); i++) {
            String sensor = sensors.get(i);
            targets.add(states.get(i)
                    .orElseGet(() -> TargetStatus.newBuilder()
                            .setSensorId(sensor)
                            .setState(TargetState.PLANNED)
                            .build()));
        }
        long next = from + sensors.size();
        return new TargetPage(
                decision.getCustomerId(),
                decision.getMsgId(),
                decision.getResolved(),
                targets,
                next >= decision.getResolved() ? "" : Page.token(Long.toString(next)));
    }

    /** Sensors of the plan from an index on; fewer than asked for where this node has not read all of it. */
    private Answer<List<String>> planned(MessageDecision decision, long from, int count) {
        var sensors = new ArrayList<String>(count);
        // Every chunk but the last is full.
        int number = (int) (from / FanoutLimits.CHUNK_SENSORS);
        int skip = (int) (from % FanoutLimits.CHUNK_SENSORS);
        while (number < decision.getChunks() && sensors.size() < count) {
            Answer<Optional<PlanChunk>> read = chunk(decision, number);
            if (read instanceof Answer.Refused<Optional<PlanChunk>> refused) {
                return Answer.refused(refused.refusal());
            }
            PlanChunk chunk = ((Answer.Given<Optional<PlanChunk>>) read).value().orElse(null);
            if (chunk == null) {
                break;
            }
            int end = Math.min(chunk.getSensorIdsCount(), skip + count - sensors.size());
            sensors.addAll(chunk.getSensorIdsList().subList(Math.min(skip, end), end));
            skip = 0;
            number++;
        }
        return Answer.of(sensors);
    }

    private Answer<Optional<PlanChunk>> chunk(MessageDecision decision, int number) {
        String customer = decision.getCustomerId();
        Optional<PlanChunk> chunk = store.chunk(customer, decision.getMsgId(), number);
        return chunk.isPresent()
                ? Answer.of(chunk)
                : fresh.upToDate(customer, () -> Answer.of(store.chunk(customer, decision.getMsgId(), number)));
    }

    private Answer<MessageDecision> decision(Publisher publisher, String customerId, String msgId) {
        return tenancy.customer(publisher, customerId, Publisher.SCOPE_READ)
                .then(customer -> MessageDesk.checkMsgId(customer, msgId))
                .then(customer -> store.decision(customer, msgId)
                        .map(Answer::of)
                        .orElseGet(() -> fresh.upToDate(
                                customer,
                                () -> store.decision(customer, msgId)
                                        .map(Answer::of)
                                        .orElseGet(() -> Answer.refused(ErrorCode.UNKNOWN_MESSAGE.because(
                                                "the customer has no message '" + msgId + "'"))))));
    }
}
