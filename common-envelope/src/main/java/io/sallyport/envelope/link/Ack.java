package io.sallyport.envelope.link;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Body of ACK.
 *
 * @param epoch u32
 * @param watermark every seq at or below it is durable, dropped with a marker, or skipped
 * @param throttleMs pause BATCH that long from receipt; 0 = none
 */
public record Ack(long epoch, long watermark, int throttleMs) {
    public static final int BYTES = 16;

    /** Empty where the body has another length. */
    public static Optional<Ack> read(ByteBuffer body) {
        return body.remaining() == BYTES
                ? Optional.of(new Ack(Integer.toUnsignedLong(body.getInt()), body.getLong(), body.getInt()))
                : Optional.empty();
    }

    public void write(ByteBuffer out) {
        out.putInt((int) epoch).putLong(watermark).putInt(throttleMs);
    }
}
