package io.sallyport.envelope.link;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Body of SKIP: the sensor will never deliver {@code fromSeq} … {@code toSeq}, both inclusive.
 *
 * @param epoch u32
 * @param fromSeq as signed; not checked here, see {@link #isWellFormed()}
 * @param toSeq as signed
 * @param reason u16, see the constants; others pass through as they are
 */
public record Skip(long epoch, long fromSeq, long toSeq, int reason) {
    public static final int BYTES = 22;
    public static final int REASON_EVICTED = 1;
    public static final int REASON_SPOOL_LOST = 2;
    public static final int REASON_REFUSED = 3;
    public static final int REASON_NEVER_USED = 4;

    /** Empty where the body has another length. */
    public static Optional<Skip> read(ByteBuffer body) {
        return body.remaining() == BYTES
                ? Optional.of(new Skip(
                        Integer.toUnsignedLong(body.getInt()),
                        body.getLong(),
                        body.getLong(),
                        body.getShort() & 0xFFFF))
                : Optional.empty();
    }

    public void write(ByteBuffer out) {
        out.putInt((int) epoch).putLong(fromSeq).putLong(toSeq).putShort((short) reason);
    }

    public byte[] toBytes() {
        var bytes = ByteBuffer.allocate(BYTES);
        write(bytes);
        return bytes.array();
    }

    /** 1 <= from <= to <= 2^63 - 1, and at most 2^20 wide. */
    public boolean isWellFormed() {
        return fromSeq >= 1 && toSeq >= fromSeq && toSeq - fromSeq < LinkLimits.MAX_SKIP_WIDTH;
    }
}
