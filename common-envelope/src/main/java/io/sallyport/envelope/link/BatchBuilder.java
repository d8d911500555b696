package io.sallyport.envelope.link;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Builds BATCH bodies, the sensor's side of {@link EventCursor} and {@link BlockDecoder}. Not thread-safe. */
public final class BatchBuilder {
    private static final int ZSTD_LEVEL = 3;

    private ByteBuffer block = ByteBuffer.allocate(64 * 1024);
    private int count;

    /** Appends one event; {@code payload} is read from position to limit and left as it is. */
    public BatchBuilder add(long seq, long eventTsUs, int eventType, int payloadSchema, ByteBuffer payload) {
        int needed = EventCursor.HEADER_BYTES + payload.remaining();
        if (block.remaining() < needed) {
            int capacity = Math.max(block.capacity() * 2, block.position() + needed);
            block = ByteBuffer.allocate(capacity).put(block.flip());
        }
        block.putLong(seq)
                .putLong(eventTsUs)
                .putShort((short) eventType)
                .putShort((short) payloadSchema)
                .putInt(payload.remaining())
                .put(payload.duplicate());
        count++;
        return this;
    }

    public int count() {
        return count;
    }

    /** Bytes of the block so far, uncompressed. */
    public int blockBytes() {
        return block.position();
    }

    /** The BATCH body, header first; the builder is empty afterwards. */
    public byte[] build(long epoch, int batchId, int codec, int flags) {
        int rawLength = block.position();
        byte[] transmitted = block.array();
        int length = rawLength;
        if (codec == BatchHeader.CODEC_ZSTD) {
            transmitted = Zstd.compress(Arrays.copyOf(block.array(), rawLength), ZSTD_LEVEL);
            length = transmitted.length;
        }
        var crc = new CRC32C();
        crc.update(transmitted, 0, length);
        var body = ByteBuffer.allocate(BatchHeader.BYTES + length);
        new BatchHeader(epoch, batchId, codec, flags, count, rawLength, (int) crc.getValue()).write(body);
        body.put(transmitted, 0, length);
        block.clear();
        count = 0;
        return body.array();
    }
}
