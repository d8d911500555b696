package io.sallyport.e2e.link;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.e2e.link.proto.Accept;
import io.sallyport.e2e.link.proto.Reject;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a client got from the gateway: a frame, or the end of the stream. */
sealed interface Received {

    /** The gateway closed its side; {@code cause} is null where it did so in order. */
    record End(@Nullable Exception cause) implements Received {}

    record Frame(int type, byte[] body) implements Received {

        /** Parsed body of an ACCEPT. */
        Accept accept() {
            try {
                return Accept.parseFrom(body);
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError("an ACCEPT that does not parse", e);
            }
        }

        /** Parsed body of a REJECT. */
        Reject reject() {
            try {
                return Reject.parseFrom(body);
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError("a REJECT that does not parse", e);
            }
        }

        /** Fields of an ACK, which has exactly 16 bytes. */
        Ack ack() {
            if (body.length != 16) {
                throw new AssertionError("an ACK of " + body.length + " bytes");
            }
            var bytes = ByteBuffer.wrap(body);
            return new Ack(Integer.toUnsignedLong(bytes.getInt()), bytes.getLong(), bytes.getInt());
        }

        @Override
        public String toString() {
            return switch (type) {
                case Frames.ACCEPT -> "ACCEPT " + accept().toString().replace('\n', ' ');
                case Frames.REJECT -> "REJECT " + reject().toString().replace('\n', ' ');
                case Frames.ACK -> ack().toString();
                default -> "frame of type " + type + " with " + body.length + " bytes";
            };
        }
    }

    /** u32 epoch, u64 watermark, u32 throttle_ms. */
    record Ack(long epoch, long watermark, int throttleMs) {}
}
