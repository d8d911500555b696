package io.sallyport.normalizer.streams;

import io.sallyport.envelope.proof.OpenSegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How far one raw partition is handled.
 *
 * @param lastOffset offset of the last raw record that was handled; -1 = none
 * @param lastMs when the broker appended it; 0 = not known
 * @param nextPos `pos` of the next record of `structured` in this shard and generation
 * @param open the proof segment that records are added to
 */
record Cursor(long lastOffset, long lastMs, long nextPos, Open open) {
    static final Cursor START = new Cursor(-1, 0, 0, Open.empty(0));

    /**
     * The open proof segment.
     *
     * @param index of the segment, dense from 0
     * @param leaves records in it; its first pos is so many below {@code nextPos}
     * @param chunks entries of the store that hold them
     * @param sinceMs clock of this machine when the first of them came
     */
    record Open(long index, int leaves, int chunks, long sinceMs) {
        static Open empty(long index) {
            return new Open(index, 0, 0, 0);
        }

        /** When it is closed at the latest; at once where the clock was set back, or the shard came from another machine. */
        long dueMs(long nowMs) {
            return nowMs < sinceMs ? nowMs : sinceMs + OpenSegment.MAX_OPEN_MS;
        }
    }

    static Cursor decode(byte @Nullable [] bytes) {
        if (bytes == null) {
            return START;
        }
        var in = ByteBuffer.wrap(bytes);
        long lastOffset = in.getLong();
        long nextPos = in.getLong();
        var open = new Open(in.getLong(), in.getInt(), in.getInt(), in.getLong());
        // Where it was written before that was kept, it ends here.
        return new Cursor(lastOffset, in.hasRemaining() ? in.getLong() : 0, nextPos, open);
    }

    byte[] encode() {
        return ByteBuffer.allocate(48)
                .putLong(lastOffset)
                .putLong(nextPos)
                .putLong(open.index())
                .putInt(open.leaves())
                .putInt(open.chunks())
                .putLong(open.sinceMs())
                .putLong(lastMs)
                .array();
    }
}
