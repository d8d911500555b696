package io.sallyport.envelope.registry;

import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.Coalescing;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import java.time.Duration;
import java.util.List;

/** The message types that a new cell starts with; more are added at run time, one record in `message-types` each. */
public final class MessageTypes {
    /** Scope that every message needs. */
    public static final String SCOPE_PUBLISH = "commands:publish";
    /** Scope that RESPONSE_ACTION needs besides the one to publish. */
    public static final String SCOPE_RESPOND = "commands:respond";

    private MessageTypes() {}

    /** The four seeded types, in order of their number. */
    public static List<MessageTypeSpec> seeded() {
        return List.of(
                type(MessageType.CONFIG_UPDATE, Duration.ofDays(1), Coalescing.COALESCE_BY_TYPE),
                type(MessageType.SENSOR_UPDATE, Duration.ofDays(3), Coalescing.COALESCE_BY_KEY),
                type(MessageType.THREAT_INTEL_UPDATE, Duration.ofHours(12), Coalescing.COALESCE_BY_TYPE),
                MessageTypeSpec.newBuilder()
                        .setNumber(MessageType.RESPONSE_ACTION_VALUE)
                        .setName(MessageType.RESPONSE_ACTION.name())
                        .setDefaultTtlMs(Duration.ofDays(7).toMillis())
                        .setLane(0)
                        .setCoalescing(Coalescing.COALESCE_NEVER)
                        .setRequiredScope(SCOPE_RESPOND)
                        .build());
    }

    private static MessageTypeSpec type(MessageType type, Duration ttl, Coalescing coalescing) {
        return MessageTypeSpec.newBuilder()
                .setNumber(type.getNumber())
                .setName(type.name())
                .setDefaultTtlMs(ttl.toMillis())
                .setLane(1)
                .setCoalescing(coalescing)
                .setEvictable(true)
                .setJittered(true)
                .build();
    }
}
