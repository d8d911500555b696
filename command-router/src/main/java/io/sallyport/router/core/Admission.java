package io.sallyport.router.core;

import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.router.core.Entry.Handling;
import io.sallyport.router.core.Entry.Withdrawal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What becomes of an entry, or of a cancellation, when it arrives. */
final class Admission {
    static final String QUEUE_FULL = "QUEUE_FULL";
    static final String PRINCIPAL_MISMATCH = "PRINCIPAL_MISMATCH";
    static final String SCOPE_MISSING = "SCOPE_MISSING";
    static final String UNKNOWN_TYPE = "UNKNOWN_TYPE";
    static final String NEWER_REVISION = "NEWER_REVISION";
    static final String NEWER_DELIVERED = "NEWER_DELIVERED";
    static final String QUEUE_CAP = "QUEUE_CAP";

    /** The oldest of the lowest priority; what is not on its way yet goes first. */
    private static final Comparator<Entry> EVICTION = Comparator.comparing(Entry::isInFlight)
            .thenComparing((a, b) -> Integer.compareUnsigned(
                    a.message().getPriority(), b.message().getPriority()))
            .thenComparing((a, b) ->
                    Long.compareUnsigned(a.message().getRevision(), b.message().getRevision()));

    private Admission() {}

    static void enter(Turn turn, QueueEntry message) {
        if (!message.getCustomerId().equals(turn.sensor.customerId())
                || !message.getSensorId().equals(turn.sensor.sensorId())) {
            // Not even a status: the record proves nothing about either tenant's message of that name.
            turn.count(Note.FORGED_IDENTITY);
            turn.effect(new Effect.Alert(AlertKind.FORGED_IDENTITY, "an entry under the key of another sensor"));
        } else if (!MessageKey.isValidMsgId(message.getMsgId())) {
            turn.count(Note.MALFORMED);
        } else if (message.getCancelRevision() != 0) {
            cancel(turn, message);
        } else if (turn.find(message.getMsgId()).isPresent()
                || turn.around.settled(message.getMsgId()).isPresent()) {
            turn.count(Note.DUPLICATE_ENTRY);
        } else {
            admit(turn, message);
        }
    }

    private static void admit(Turn turn, QueueEntry message) {
        Optional<MessageTypeSpec> type = turn.around.type(message.getType());
        Optional<String> refusal = refusal(message, type);
        if (refusal.isPresent()) {
            turn.settleNew(message, TargetState.REJECTED, refusal.get());
            turn.effect(new Effect.Alert(
                    AlertKind.PRINCIPAL_MISMATCH,
                    refusal.get() + " message " + message.getMsgId() + " published by "
                            + message.getPrincipal().getSubject()));
            return;
        }
        Handling handling = handling(type.orElseThrow(), message);
        if (message.getExpiresAtUs() <= turn.nowUs) {
            turn.settleNew(message, TargetState.EXPIRED, "");
        } else if (isOlder(message, newestOf(turn, handling.group()))) {
            turn.count(Note.STALE_REVISION);
            turn.settleNew(message, TargetState.SUPERSEDED_BY_NEWER, NEWER_REVISION);
        } else if (isOlder(message, turn.pushed.get(message.getType()))) {
            overtaken(turn, message, handling);
        } else {
            queue(turn, Entry.pending(message, handling));
        }
    }

    /**
     * Sending it now would leave the sensor with the older one last. What coalesces has a successor that stands for it;
     * what never does has none, so it was refused and somebody must hear of it: publishing it again makes it the newest.
     */
    private static void overtaken(Turn turn, QueueEntry message, Handling handling) {
        turn.count(Note.STALE_REVISION);
        if (handling.group().isEmpty()) {
            turn.settleNew(message, TargetState.REJECTED, NEWER_DELIVERED);
            turn.effect(new Effect.Alert(AlertKind.OVERTAKEN, "message " + message.getMsgId()));
        } else {
            turn.settleNew(message, TargetState.SUPERSEDED_BY_NEWER, NEWER_DELIVERED);
        }
    }

    private static void queue(Turn turn, Entry entry) {
        List<Entry> older = turn.open.stream()
                .filter(other -> !entry.handling().group().isEmpty()
                        && other.handling().group().equals(entry.handling().group()))
                .toList();
        long freed = older.stream().filter(other -> !other.isInFlight()).count();
        if (turn.open.size() - freed >= turn.limits.maxOpen() && !makeRoom(turn, entry)) {
            return;
        }
        for (Entry other : older) {
            if (!other.isInFlight()) {
                turn.settle(other, TargetState.SUPERSEDED_BY_NEWER, NEWER_REVISION, 0);
            } else if (!other.isWithdrawn()) {
                turn.replace(other.withdrawn(Withdrawal.SUPERSEDED));
            }
        }
        if (!entry.handling().group().isEmpty()) {
            turn.newest.put(entry.handling().group(), entry.message().getRevision());
            forgetOldestGroup(turn.newest);
        }
        turn.add(entry);
    }

    /** False where the newcomer itself has to go. */
    private static boolean makeRoom(Turn turn, Entry newcomer) {
        Optional<Entry> victim =
                turn.open.stream().filter(other -> other.handling().evictable()).min(EVICTION);
        if (victim.isEmpty()) {
            turn.settleNew(newcomer.message(), TargetState.REJECTED, QUEUE_FULL);
            turn.effect(new Effect.Alert(AlertKind.QUEUE_FULL, "message " + newcomer.msgId()));
            return false;
        }
        if (newcomer.handling().evictable() && EVICTION.compare(newcomer, victim.get()) < 0) {
            turn.settleNew(newcomer.message(), TargetState.EVICTED, QUEUE_CAP);
            evicted(turn, newcomer);
            return false;
        }
        turn.settle(victim.get(), TargetState.EVICTED, QUEUE_CAP, 0);
        evicted(turn, victim.get());
        return true;
    }

    private static void evicted(Turn turn, Entry entry) {
        int epoch = turn.session.map(Session::epoch).orElse(0);
        turn.effect(new Effect.EvictionMarker(entry.message(), epoch));
    }

    private static void cancel(Turn turn, QueueEntry message) {
        if (!message.getPrincipal().getCustomersList().contains(turn.sensor.customerId())
                || !message.getPrincipal().getScopesList().contains(MessageTypes.SCOPE_PUBLISH)) {
            turn.count(Note.CANCEL_REFUSED);
            turn.effect(new Effect.Alert(
                    AlertKind.PRINCIPAL_MISMATCH,
                    "cancellation of message " + message.getMsgId() + " by "
                            + message.getPrincipal().getSubject()));
            return;
        }
        Optional<Entry> entry = turn.find(message.getMsgId());
        if (entry.isPresent()) {
            cancel(turn, entry.get(), message);
        } else if (turn.around.settled(message.getMsgId()).isPresent()
                || message.getExpiresAtUs() + turn.limits.retentionUs() <= turn.nowUs) {
            turn.count(Note.CANCEL_WITHOUT_EFFECT);
        } else {
            // The entry itself may still come; it will find its target cancelled.
            turn.settleNew(message, TargetState.CANCELLED, "");
        }
    }

    private static void cancel(Turn turn, Entry entry, QueueEntry message) {
        if (Long.compareUnsigned(message.getCancelRevision(), entry.message().getRevision()) < 0) {
            turn.count(Note.CANCEL_WITHOUT_EFFECT);
        } else if (entry.isInFlight()) {
            turn.replace(entry.withdrawn(Withdrawal.CANCELLED));
        } else {
            turn.settle(entry, TargetState.CANCELLED, "", 0);
        }
    }

    private static Optional<String> refusal(QueueEntry message, Optional<MessageTypeSpec> type) {
        if (!message.getPrincipal().getCustomersList().contains(message.getCustomerId())) {
            return Optional.of(PRINCIPAL_MISMATCH);
        }
        if (type.isEmpty()) {
            return Optional.of(UNKNOWN_TYPE);
        }
        String needed = type.get().getRequiredScope();
        List<String> held = message.getPrincipal().getScopesList();
        return held.contains(MessageTypes.SCOPE_PUBLISH) && (needed.isEmpty() || held.contains(needed))
                ? Optional.empty()
                : Optional.of(SCOPE_MISSING);
    }

    private static Handling handling(MessageTypeSpec type, QueueEntry message) {
        String group = switch (type.getCoalescing()) {
            case COALESCE_BY_TYPE -> Integer.toUnsignedString(type.getNumber());
            case COALESCE_BY_KEY ->
                message.getCoalesceKey().isEmpty()
                        ? ""
                        : Integer.toUnsignedString(type.getNumber()) + "/" + message.getCoalesceKey();
            default -> "";
        };
        return new Handling(type.getLane(), type.getEvictable(), group);
    }

    private static boolean isOlder(QueueEntry message, @Nullable Long than) {
        return than != null && Long.compareUnsigned(message.getRevision(), than) < 0;
    }

    /** The mark of a group may be forgotten while an entry of it is still open. */
    private static @Nullable Long newestOf(Turn turn, String group) {
        if (group.isEmpty()) {
            return null;
        }
        Long marked = turn.newest.get(group);
        if (marked != null) {
            return marked;
        }
        return turn.open.stream()
                .filter(entry -> entry.handling().group().equals(group))
                .map(entry -> entry.message().getRevision())
                .max(Long::compareUnsigned)
                .orElse(null);
    }

    private static void forgetOldestGroup(Map<String, Long> newest) {
        if (newest.size() > SensorState.Marks.MAX_GROUPS) {
            newest.entrySet().stream()
                    .min(Map.Entry.comparingByValue(Long::compareUnsigned))
                    .ifPresent(oldest -> newest.remove(oldest.getKey()));
        }
    }
}
