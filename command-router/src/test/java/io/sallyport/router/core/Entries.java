package io.sallyport.router.core;

import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.CommandOutcome;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import java.time.Duration;
import java.util.List;

/** Records as fan-out, gateway and authority write them. */
public final class Entries {
    public static final String CUSTOMER = "acme";
    public static final String SENSOR = "s-1";
    public static final Principal OPERATOR = Principal.newBuilder()
            .setSubject("operator")
            .addCustomers(CUSTOMER)
            .addScopes(MessageTypes.SCOPE_PUBLISH)
            .addScopes(MessageTypes.SCOPE_RESPOND)
            .build();
    public static final Limits LIMITS = new Limits(
            256,
            new Limits.Window(64, 4, 4L << 20),
            new Limits.Repeat(us(Duration.ofSeconds(30)), us(Duration.ofMinutes(10))),
            us(Duration.ofSeconds(5)),
            us(Duration.ofDays(7)));
    /** A day in 2026, so that session ids and times have the size they have in production. */
    public static final long START_US = 1_790_000_000_000_000L;

    private Entries() {}

    public static long us(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    public static Limits capOf(int cap) {
        return new Limits(cap, LIMITS.window(), LIMITS.repeat(), LIMITS.recheckUs(), LIMITS.retentionUs());
    }

    public static QueueEntry.Builder entry(String msgId, long revision, MessageType type) {
        return QueueEntry.newBuilder()
                .setCustomerId(CUSTOMER)
                .setSensorId(SENSOR)
                .setMsgId(msgId)
                .setRevision(revision)
                .setType(type.getNumber())
                .setPrincipal(OPERATOR)
                .setAcceptedAtUs(START_US)
                .setExpiresAtUs(START_US + us(Duration.ofDays(1)))
                .setPayloadBytes(100);
    }

    public static QueueEntry.Builder update(String msgId, long revision, String version) {
        return entry(msgId, revision, MessageType.SENSOR_UPDATE).setCoalesceKey(version);
    }

    public static QueueEntry.Builder cancel(String msgId, long revision, long cancelRevision) {
        return entry(msgId, revision, MessageType.CONFIG_UPDATE).setCancelRevision(cancelRevision);
    }

    public static SessionEntry connected(long sessionId) {
        return SessionEntry.newBuilder()
                .setSessionId(sessionId)
                .setState(SessionState.SESSION_CONNECTED)
                .setEpoch(3)
                .build();
    }

    public static SessionEntry disconnected(long sessionId) {
        return connected(sessionId).toBuilder()
                .setState(SessionState.SESSION_DISCONNECTED)
                .build();
    }

    public static CommandResult acked(String msgId) {
        return result(msgId, CommandOutcome.COMMAND_ACKED, 0);
    }

    public static CommandResult nacked(String msgId, int code) {
        return result(msgId, CommandOutcome.COMMAND_NACKED, code);
    }

    private static CommandResult result(String msgId, CommandOutcome outcome, int code) {
        return CommandResult.newBuilder()
                .setCustomerId(CUSTOMER)
                .setSensorId(SENSOR)
                .setMsgId(msgId)
                .setOutcome(outcome)
                .setCode(code)
                .build();
    }

    static List<String> msgIds(List<Entry> entries) {
        return entries.stream().map(Entry::msgId).toList();
    }
}
