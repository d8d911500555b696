package io.sallyport.session.core;

import com.google.protobuf.MessageLite;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.proto.log.v1.Stamp;

/** What a decision wants done, in order. The connection's handler alone does it. */
public sealed interface Effect {

    /** Mint a session id above {@code aboveSessionId} and ask the epoch authority for it. */
    record Claim(SensorKey sensor, SensorStart start, long aboveSessionId) implements Effect {}

    /** The session is decided: make it known on this node, publish its host, then tell the sensor. */
    record Open(LiveSession session, Accept accept, HostMetadata host) implements Effect {}

    record Append(SensorRoute route, RawKind kind, byte[] value, Stamp stamp, PendingAppend pending)
            implements Effect {}

    /** A batch was admitted, for the meters and the customer's share; {@code decodedBytes} of its block. */
    record Admitted(int events, int dropped, int bytes, int decodedBytes) implements Effect {}

    record SendAck(long epoch, long watermark, int throttleMs) implements Effect {}

    /** A frame whose body is a protobuf message. */
    record SendMessage(FrameType type, MessageLite body) implements Effect {}

    /** A push whose steps are traced went to the sensor. */
    record HandedOver(SessionPush push) implements Effect {}

    record SendBytes(FrameType type, byte[] body) implements Effect {}

    /** Refuses one batch; the session goes on. */
    record Refuse(Refusal refusal) implements Effect {}

    /** REJECT, then close. {@code audit} is for the log alone; empty = nothing more to say. */
    record End(Refusal refusal, String audit) implements Effect {}

    /** Close without a REJECT: the peer is gone, or knows already. */
    record Close(String why) implements Effect {}

    record Report(SensorKey sensor, SessionReport report) implements Effect {}

    record Result(SensorKey sensor, CommandResult result) implements Effect {}

    /** {@code detail} is from outside and to be escaped. */
    record Alert(AlertKind kind, SensorKey sensor, String detail) implements Effect {}

    record Count(Note note) implements Effect {}

    /** A sensor's spool, as it says. */
    record SpoolDepth(long events, long bytes) implements Effect {}
}
