package io.sallyport.session.core;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.link.Stats;
import io.sallyport.proto.link.v1.RejectCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the five bytes in front of a body must be (sensor link, section 2), decided before anything is kept for it. */
public final class FrameRules {
    private FrameRules() {}

    /**
     * @param length u32, the type byte included
     * @param accepted whether ACCEPT has been sent on this connection
     * @return null where the length is allowed
     */
    public static Inbound.@Nullable Broken checkLength(long length, boolean accepted, LinkLimits limits) {
        if (length == 0) {
            return new Inbound.Broken(RejectCode.FRAME_MALFORMED, "length 0");
        }
        int max = accepted ? limits.maxFrameBytes() : LinkLimits.MAX_START_FRAME_BYTES;
        return length > max ? new Inbound.Broken(RejectCode.FRAME_TOO_LARGE, "length above " + max) : null;
    }

    /** The type of a frame that may come now, or why it may not. */
    public static TypeCheck checkType(int code, int bodyLength, boolean accepted) {
        Optional<FrameType> found = FrameType.of(code);
        if (found.isEmpty()) {
            return violation("unknown frame type");
        }
        FrameType type = found.get();
        if (!type.isFromSensor()) {
            return violation("a frame that only the gateway sends");
        }
        if (accepted == (type == FrameType.SENSOR_START)) {
            return violation(accepted ? "a second SENSOR_START" : "the first frame must be SENSOR_START");
        }
        boolean fits = switch (type) {
            case BATCH -> bodyLength >= BatchHeader.BYTES;
            case SKIP -> bodyLength == Skip.BYTES;
            case STATS -> bodyLength == Stats.BYTES;
            case PING, PONG -> bodyLength <= LinkLimits.MAX_PING_BYTES;
            default -> true;
        };
        return fits
                ? new TypeCheck.Allowed(type)
                : new TypeCheck.Denied(
                        new Inbound.Broken(RejectCode.FRAME_MALFORMED, type + " with a body of " + bodyLength));
    }

    private static TypeCheck violation(String detail) {
        return new TypeCheck.Denied(new Inbound.Broken(RejectCode.PROTOCOL_VIOLATION, detail));
    }

    /** The outcome of {@link #checkType}. */
    public sealed interface TypeCheck {
        record Allowed(FrameType type) implements TypeCheck {}

        record Denied(Inbound.Broken broken) implements TypeCheck {}
    }
}
