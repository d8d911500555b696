package io.sallyport.normalizer.streams;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How far one raw partition is handled.
 *
 * @param lastOffset offset of the last raw record that was handled; -1 = none
 * @param nextPos `pos` of the next record of `structured` in this shard and generation
 */
record Cursor(long lastOffset, long nextPos) {
    static final Cursor START = new Cursor(-1, 0);

    static Cursor decode(byte @Nullable [] bytes) {
        if (bytes == null) {
            return START;
        }
        var in = ByteBuffer.wrap(bytes);
        return new Cursor(in.getLong(), in.getLong());
    }

    byte[] encode() {
        return ByteBuffer.allocate(16).putLong(lastOffset).putLong(nextPos).array();
    }
}
