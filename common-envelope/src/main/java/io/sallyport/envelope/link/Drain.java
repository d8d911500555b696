package io.sallyport.envelope.link;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Body of DRAIN.
 *
 * @param deadlineMs the gateway closes at the latest after this time
 * @param jitterMs the sensor reconnects after a random delay of 0 … this
 */
public record Drain(int deadlineMs, int jitterMs) {
    public static final int BYTES = 8;

    /** Empty where the body has another length. */
    public static Optional<Drain> read(ByteBuffer body) {
        return body.remaining() == BYTES ? Optional.of(new Drain(body.getInt(), body.getInt())) : Optional.empty();
    }

    public void write(ByteBuffer out) {
        out.putInt(deadlineMs).putInt(jitterMs);
    }
}
