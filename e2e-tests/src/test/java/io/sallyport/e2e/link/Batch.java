package io.sallyport.e2e.link;

import com.github.luben.zstd.Zstd;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A BATCH body of section 4. Everything that can be derived from the events is, until a test says otherwise; the CRC is
 * always that of the block as it is sent, unless a test breaks it.
 *
 * @param transmitted the event block as it is sent
 * @param crc null: the right one
 */
record Batch(
        long epoch,
        long batchId,
        int codec,
        int flags,
        int count,
        long rawLength,
        @Nullable Long crc,
        byte[] transmitted) {
    static final int HEADER_BYTES = 20;
    static final int CODEC_NONE = 0;
    static final int CODEC_ZSTD = 1;

    /** A valid uncompressed batch. */
    static Batch of(long epoch, long batchId, Event... events) {
        byte[] block = Event.block(events);
        return new Batch(epoch, batchId, CODEC_NONE, 0, events.length, block.length, null, block);
    }

    /** The same events, compressed as one frame with its content size stated. */
    Batch compressed() {
        return withCodec(CODEC_ZSTD).withTransmitted(Zstd.compress(transmitted, 3));
    }

    Batch withEpoch(long other) {
        return new Batch(other, batchId, codec, flags, count, rawLength, crc, transmitted);
    }

    Batch withBatchId(long other) {
        return new Batch(epoch, other, codec, flags, count, rawLength, crc, transmitted);
    }

    Batch withCodec(int other) {
        return new Batch(epoch, batchId, other, flags, count, rawLength, crc, transmitted);
    }

    Batch withFlags(int other) {
        return new Batch(epoch, batchId, codec, other, count, rawLength, crc, transmitted);
    }

    Batch withCount(int other) {
        return new Batch(epoch, batchId, codec, flags, other, rawLength, crc, transmitted);
    }

    Batch withRawLength(long other) {
        return new Batch(epoch, batchId, codec, flags, count, other, crc, transmitted);
    }

    Batch withTransmitted(byte[] other) {
        return new Batch(epoch, batchId, codec, flags, count, rawLength, crc, other);
    }

    /** A CRC that differs from the right one in one bit. */
    Batch withWrongCrc() {
        return new Batch(epoch, batchId, codec, flags, count, rawLength, crcOf(transmitted) ^ 1, transmitted);
    }

    byte[] body() {
        return new Bytes()
                .u32(epoch)
                .u32(batchId)
                .u8(codec)
                .u8(flags)
                .u16(count)
                .u32(rawLength)
                .u32(crc == null ? crcOf(transmitted) : crc)
                .raw(transmitted)
                .toArray();
    }

    static long crcOf(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue();
    }
}
