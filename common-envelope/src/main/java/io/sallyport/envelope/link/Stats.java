package io.sallyport.envelope.link;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Body of STATS.
 *
 * @param bufferDepthEvents u64, events in the sensor's spool
 * @param bufferDepthBytes u64, their bytes
 */
public record Stats(long bufferDepthEvents, long bufferDepthBytes) {
    public static final int BYTES = 16;

    /** Empty where the body has another length. */
    public static Optional<Stats> read(ByteBuffer body) {
        return body.remaining() == BYTES ? Optional.of(new Stats(body.getLong(), body.getLong())) : Optional.empty();
    }

    public void write(ByteBuffer out) {
        out.putLong(bufferDepthEvents).putLong(bufferDepthBytes);
    }
}
