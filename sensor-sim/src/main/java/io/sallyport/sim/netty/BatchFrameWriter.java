package io.sallyport.sim.netty;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.link.FrameType;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Builds BATCH frames in the direct buffer they are sent from: each payload is copied once, checksummed there, and read
 * next by TLS. With zstd the block is written to a buffer of the writer first. Not thread-safe; one per loop.
 */
public final class BatchFrameWriter implements AutoCloseable {
    private static final int ZSTD_LEVEL = 1;
    private static final int BLOCK_AT = FrameType.LENGTH_BYTES + 1 + BatchHeader.BYTES;

    private final ByteBufAllocator allocator;
    private final ZstdCompressCtx zstd = new ZstdCompressCtx().setLevel(ZSTD_LEVEL);
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer header = ByteBuffer.allocate(BatchHeader.BYTES);
    private ByteBuf frame;
    private int count;

    BatchFrameWriter(ByteBufAllocator allocator) {
        this.allocator = allocator;
        this.frame = allocator.buffer(0, 0);
    }

    ByteBufAllocator allocator() {
        return allocator;
    }

    /** Starts a batch with an event block of about {@code blockBytes}. */
    public void begin(int blockBytes) {
        frame.release();
        frame = allocator.directBuffer(BLOCK_AT + blockBytes);
        frame.writerIndex(BLOCK_AT);
        count = 0;
    }

    public void add(long seq, long eventTsUs, int eventType, int payloadSchema, byte[] payload) {
        frame.ensureWritable(EventCursor.HEADER_BYTES + payload.length);
        frame.writeLong(seq)
                .writeLong(eventTsUs)
                .writeShort(eventType)
                .writeShort(payloadSchema)
                .writeInt(payload.length)
                .writeBytes(payload);
        count++;
    }

    /** Events added since {@link #begin}. */
    public int count() {
        return count;
    }

    ByteBuf finish(long epoch, int batchId, int codec, int flags) {
        int rawLength = frame.writerIndex() - BLOCK_AT;
        if (codec == BatchHeader.CODEC_ZSTD) {
            frame = compressed(frame, rawLength);
        }
        int length = frame.writerIndex() - BLOCK_AT;
        crc.reset();
        crc.update(frame.internalNioBuffer(BLOCK_AT, length));
        frame.setInt(0, 1 + BatchHeader.BYTES + length);
        frame.setByte(FrameType.LENGTH_BYTES, FrameType.BATCH.code());
        new BatchHeader(epoch, batchId, codec, flags, count, rawLength, (int) crc.getValue()).write(header.clear());
        frame.setBytes(FrameType.LENGTH_BYTES + 1, header.flip());
        ByteBuf finished = frame;
        frame = allocator.buffer(0, 0);
        return finished;
    }

    private ByteBuf compressed(ByteBuf raw, int rawLength) {
        int bound = (int) Zstd.compressBound(rawLength);
        ByteBuf out = allocator.directBuffer(BLOCK_AT + bound);
        int length = zstd.compressDirectByteBuffer(
                out.nioBuffer(BLOCK_AT, bound), 0, bound, raw.nioBuffer(BLOCK_AT, rawLength), 0, rawLength);
        out.writerIndex(BLOCK_AT + length);
        raw.release();
        return out;
    }

    @Override
    public void close() {
        frame.release();
        frame = allocator.buffer(0, 0);
        zstd.close();
    }
}
