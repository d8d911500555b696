package io.sallyport.session.core;

import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.link.v1.MessageAck;
import io.sallyport.proto.link.v1.MessageNack;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.CommandOutcome;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.SessionPush;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages to one session's sensor, and its answers. What is not handed over is pushed again by the router. */
final class Downlink {
    /** The rest of a longer detail is cut off: it must fit into a record. */
    private static final int MAX_DETAIL_LENGTH = 1_024;

    private final SensorKey sensor;
    private final long sessionId;
    private final LinkLimits limits;
    private final MessageWindow messages = new MessageWindow(LinkRules.MAX_OPEN_MESSAGES);
    private final HandOver handOver = new HandOver();
    private boolean closed;

    Downlink(SensorKey sensor, long sessionId, LinkLimits limits) {
        this.sensor = sensor;
        this.sessionId = sessionId;
        this.limits = limits;
    }

    /** Nothing more is handed over: the session drains. */
    void close() {
        closed = true;
    }

    /**
     * A message for this session.
     *
     * @param writable whether the sensor reads what it is sent; otherwise nothing is handed over
     */
    void push(SessionPush push, boolean writable, Now now, List<Effect> out) {
        Message message = push.getMessage();
        String mismatch = mismatch(push);
        if (mismatch != null) {
            out.add(new Effect.Alert(
                    AlertKind.PUSH_IDENTITY_MISMATCH, sensor, "message " + message.getMsgId() + ": " + mismatch));
            // The answer goes to the message that was pushed: an equal msg_id of this sensor is another message.
            SensorKey.of(push.getCustomerId(), push.getSensorId())
                    .ifPresent(addressed -> notDelivered(addressed, push, mismatch, now, out));
        } else if (message.getExpiresAtUs() != 0 && message.getExpiresAtUs() <= now.wallUs()) {
            out.add(new Effect.Count(Note.PUSH_EXPIRED));
            notDelivered(sensor, push, "expired", now, out);
        } else if (!MessageKey.isValidMsgId(message.getMsgId())
                || message.getSerializedSize() + 1 > limits.maxFrameBytes()) {
            out.add(new Effect.Count(Note.PUSH_REFUSED));
            notDelivered(sensor, push, "its id or size breaks the link's limits", now, out);
        } else if (closed) {
            out.add(new Effect.Count(Note.PUSH_WHILE_DRAINING));
        } else if (!handOver.isNext(push)) {
            out.add(new Effect.Count(Note.PUSH_OUT_OF_ORDER));
        } else if (!writable) {
            out.add(new Effect.Count(Note.PUSH_NOT_WRITABLE));
        } else {
            handOver.had(push);
            messages.sent(message.getMsgId());
            out.add(new Effect.SendMessage(FrameType.MESSAGE, message));
            if (push.getTraced()) {
                out.add(new Effect.HandedOver(push));
            }
        }
    }

    /** Why the push is not for this session, or not by somebody who may reach its sensor; null where all is well. */
    private @Nullable String mismatch(SessionPush push) {
        if (!push.getCustomerId().equals(sensor.customerId())
                || !push.getSensorId().equals(sensor.sensorId())) {
            return "the session belongs to another sensor";
        }
        if (!push.getPrincipal().getCustomersList().contains(sensor.customerId())) {
            return "its principal may not act for the sensor's customer";
        }
        List<String> scopes = push.getPrincipal().getScopesList();
        boolean allowed = scopes.contains(MessageTypes.SCOPE_PUBLISH)
                && (push.getMessage().getType() != MessageType.RESPONSE_ACTION
                        || scopes.contains(MessageTypes.SCOPE_RESPOND));
        return allowed ? null : "its principal lacks the scope";
    }

    void acked(MessageAck ack, Now now, List<Effect> out) {
        if (isOpen(ack.getMsgId(), out)) {
            out.add(new Effect.Result(
                    sensor,
                    result(sensor, ack.getMsgId(), CommandOutcome.COMMAND_ACKED, now)
                            .build()));
        }
    }

    void nacked(MessageNack nack, Now now, List<Effect> out) {
        if (isOpen(nack.getMsgId(), out)) {
            String detail = nack.getDetail();
            if (detail.length() > MAX_DETAIL_LENGTH) {
                detail = detail.substring(0, MAX_DETAIL_LENGTH);
            }
            out.add(new Effect.Alert(
                    AlertKind.MESSAGE_NACKED,
                    sensor,
                    "message " + nack.getMsgId() + " code " + Integer.toUnsignedString(nack.getCode()) + " " + detail));
            out.add(new Effect.Result(
                    sensor,
                    result(sensor, nack.getMsgId(), CommandOutcome.COMMAND_NACKED, now)
                            .setCode(nack.getCode())
                            .setDetail(detail)
                            .build()));
        }
    }

    private boolean isOpen(String msgId, List<Effect> out) {
        boolean open = messages.answered(msgId);
        if (!open) {
            out.add(new Effect.Count(Note.UNKNOWN_MESSAGE_ANSWER));
        }
        return open;
    }

    private void notDelivered(SensorKey addressed, SessionPush push, String why, Now now, List<Effect> out) {
        if (addressed.equals(sensor) && handOver.isNext(push)) {
            // It does not come again, and nothing waits for it.
            handOver.had(push);
        }
        out.add(new Effect.Result(
                addressed,
                result(addressed, push.getMessage().getMsgId(), CommandOutcome.COMMAND_NOT_DELIVERED, now)
                        .setDetail(why)
                        .build()));
    }

    private CommandResult.Builder result(SensorKey addressed, String msgId, CommandOutcome outcome, Now now) {
        return CommandResult.newBuilder()
                .setCustomerId(addressed.customerId())
                .setSensorId(addressed.sensorId())
                .setSessionId(sessionId)
                .setMsgId(msgId)
                .setOutcome(outcome)
                .setAtUs(now.wallUs());
    }
}
