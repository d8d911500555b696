package io.sallyport.router.core;

import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.proto.log.v1.CommandOutcome;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.TargetState;
import java.util.Optional;

/** What sensors and gateways answer: an answer prunes, a refusal is final too, and a late one moves nothing. */
final class Answers {
    /** The gateway's detail for a message whose time was over when it reached it. */
    static final String EXPIRED = "expired";

    private Answers() {}

    static void apply(Turn turn, CommandResult result) {
        if (!result.getCustomerId().equals(turn.sensor.customerId())
                || !result.getSensorId().equals(turn.sensor.sensorId())) {
            turn.count(Note.FORGED_IDENTITY);
            turn.effect(new Effect.Alert(AlertKind.FORGED_IDENTITY, "an answer under the key of another sensor"));
            return;
        }
        if (result.getOutcome() == CommandOutcome.COMMAND_OUTCOME_UNSPECIFIED
                || result.getOutcome() == CommandOutcome.UNRECOGNIZED) {
            turn.count(Note.MALFORMED);
            return;
        }
        if (!MessageKey.isValidMsgId(result.getMsgId())) {
            // A sensor may answer with any text; no message can have this one.
            turn.count(Note.UNKNOWN_ACK);
            return;
        }
        Optional<Entry> entry = turn.find(result.getMsgId());
        if (entry.isPresent()) {
            open(turn, entry.get(), result);
            return;
        }
        Optional<Settled> settled = turn.around.settled(result.getMsgId());
        if (settled.isPresent()) {
            late(turn, settled.get(), result);
        } else {
            turn.count(Note.UNKNOWN_ACK);
        }
    }

    private static void open(Turn turn, Entry entry, CommandResult result) {
        switch (result.getOutcome()) {
            case COMMAND_ACKED -> turn.settle(entry, TargetState.ACKED, "", 0);
            case COMMAND_NACKED -> {
                turn.settle(entry, TargetState.NACKED, result.getDetail(), result.getCode());
                turn.effect(new Effect.Alert(
                        AlertKind.COMMAND_NACKED,
                        "message " + entry.msgId() + " code " + Integer.toUnsignedString(result.getCode()) + " "
                                + result.getDetail()));
            }
            default -> notDelivered(turn, entry, result);
        }
    }

    private static void notDelivered(Turn turn, Entry entry, CommandResult result) {
        if (!entry.isInFlight() || result.getSessionId() != entry.pushes().sessionId()) {
            turn.count(Note.STALE_RESULT);
        } else if (result.getDetail().equals(EXPIRED)) {
            turn.settle(entry, TargetState.EXPIRED, "", 0);
        } else {
            turn.settle(entry, TargetState.REJECTED, result.getDetail(), result.getCode());
            turn.effect(new Effect.Alert(
                    AlertKind.DELIVERY_REFUSED, "message " + entry.msgId() + " " + result.getDetail()));
        }
    }

    private static void late(Turn turn, Settled settled, CommandResult result) {
        TargetState state = settled.status().getState();
        boolean acked = result.getOutcome() == CommandOutcome.COMMAND_ACKED;
        if (result.getOutcome() == CommandOutcome.COMMAND_NOT_DELIVERED) {
            turn.count(Note.STALE_RESULT);
        } else if (state == (acked ? TargetState.ACKED : TargetState.NACKED)
                || settled.status().getLateAck()) {
            turn.count(Note.DUPLICATE_ACK);
        } else if (state == TargetState.ACKED) {
            turn.count(Note.CONFLICTING_ANSWER);
        } else {
            var marked = new Settled(
                    settled.status().toBuilder().setLateAck(true).build(),
                    settled.expiresAtUs(),
                    settled.keepUntilUs());
            turn.effect(new Effect.Remember(marked));
            turn.effect(new Effect.LateAnswer(marked));
        }
    }
}
