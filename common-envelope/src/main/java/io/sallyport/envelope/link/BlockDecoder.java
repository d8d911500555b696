package io.sallyport.envelope.link;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Turns the transmitted event block of a BATCH into the decompressed one, with memory bounded before anything is
 * produced: the output never passes `raw_length`, and a window above 8 MiB is refused from the frame's header.
 *
 * <p>One instance belongs to one thread; it keeps one buffer of the largest block it has seen.
 */
public final class BlockDecoder implements AutoCloseable {

    /** The outcome of {@link #decode}. */
    public sealed interface Result {
        /** {@code block} is valid until the next call on the same decoder. */
        record Decoded(ByteBuffer block) implements Result {}

        /** More output, or a larger window, than allowed. */
        record TooLarge(String detail) implements Result {}

        /** Not exactly one zstd frame of {@code raw_length} bytes. */
        record Corrupt(String detail) implements Result {}
    }

    private static final Result LARGER_THAN_SAID = new Result.TooLarge("the block is larger than raw_length");

    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private byte[] scratch = new byte[0];

    /**
     * Decodes a block whose header was checked: codec known, {@code rawLength} within the limits.
     *
     * @param codec {@link BatchHeader#CODEC_NONE} gives back {@code transmitted} itself
     * @param transmitted the block from position to limit, backed by an array; left as it is
     */
    public Result decode(int codec, ByteBuffer transmitted, int rawLength) {
        if (codec == BatchHeader.CODEC_NONE) {
            return transmitted.remaining() == rawLength
                    ? new Result.Decoded(transmitted)
                    : new Result.Corrupt("block length differs from raw_length");
        }
        Optional<ZstdFrameHeader> found = ZstdFrameHeader.read(transmitted);
        if (found.isEmpty()) {
            return new Result.Corrupt("not a zstd frame");
        }
        ZstdFrameHeader frame = found.get();
        if (Long.compareUnsigned(frame.windowBytes(), LinkLimits.MAX_ZSTD_WINDOW_BYTES) > 0) {
            return new Result.TooLarge("zstd window above 8 MiB");
        }
        if (frame.contentBytes() != -1 && Long.compareUnsigned(frame.contentBytes(), rawLength) > 0) {
            return LARGER_THAN_SAID;
        }
        if (frame.hasDictionary()) {
            return new Result.Corrupt("zstd dictionaries are not allowed");
        }
        return decompress(frame, transmitted, rawLength);
    }

    private Result decompress(ZstdFrameHeader frame, ByteBuffer transmitted, int rawLength) {
        int length = frame.frameBytes() < 0 ? transmitted.remaining() : (int) frame.frameBytes();
        if (scratch.length < rawLength) {
            scratch = new byte[rawLength];
        }
        int produced;
        try {
            produced = context.decompressByteArray(
                    scratch,
                    0,
                    rawLength,
                    transmitted.array(),
                    transmitted.arrayOffset() + transmitted.position(),
                    length);
        } catch (ZstdException e) {
            return e.getErrorCode() == Zstd.errDstSizeTooSmall()
                    ? LARGER_THAN_SAID
                    : new Result.Corrupt("zstd: " + e.getMessage());
        }
        if (frame.frameBytes() != transmitted.remaining()) {
            return new Result.Corrupt("bytes follow the zstd frame");
        }
        if (produced != rawLength) {
            return new Result.Corrupt("the block is shorter than raw_length");
        }
        return new Result.Decoded(ByteBuffer.wrap(scratch, 0, rawLength));
    }

    @Override
    public void close() {
        context.close();
    }
}
