package io.sallyport.envelope.link;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The 20 bytes in front of the event block of a BATCH.
 *
 * @param epoch u32
 * @param batchId u32 as its bits; chosen by the sensor, only ever echoed
 * @param codec {@link #CODEC_NONE}, {@link #CODEC_ZSTD}, or a number that version 1 does not know
 * @param flags u8, see {@link #FLAG_REPLAY} and {@link #FLAG_RENUMBERED}
 * @param count events in the block
 * @param rawLength u32, bytes of the block once decompressed
 * @param crc32c u32 as its bits, of the block as transmitted
 */
public record BatchHeader(long epoch, int batchId, int codec, int flags, int count, long rawLength, int crc32c) {
    public static final int BYTES = 20;
    public static final int CODEC_NONE = 0;
    public static final int CODEC_ZSTD = 1;
    public static final int FLAG_REPLAY = 1;
    public static final int FLAG_RENUMBERED = 2;
    private static final int KNOWN_FLAGS = FLAG_REPLAY | FLAG_RENUMBERED;

    /** Reads the header at the position of {@code body} and moves behind it; empty where fewer than 20 bytes remain. */
    public static Optional<BatchHeader> read(ByteBuffer body) {
        if (body.remaining() < BYTES) {
            return Optional.empty();
        }
        return Optional.of(new BatchHeader(
                Integer.toUnsignedLong(body.getInt()),
                body.getInt(),
                body.get() & 0xFF,
                body.get() & 0xFF,
                body.getShort() & 0xFFFF,
                Integer.toUnsignedLong(body.getInt()),
                body.getInt()));
    }

    public void write(ByteBuffer out) {
        out.putInt((int) epoch)
                .putInt(batchId)
                .put((byte) codec)
                .put((byte) flags)
                .putShort((short) count)
                .putInt((int) rawLength)
                .putInt(crc32c);
    }

    public boolean hasUnknownFlags() {
        return (flags & ~KNOWN_FLAGS) != 0;
    }

    public boolean isReplay() {
        return (flags & FLAG_REPLAY) != 0;
    }

    public boolean isRenumbered() {
        return (flags & FLAG_RENUMBERED) != 0;
    }
}
