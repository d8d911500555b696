package io.sallyport.envelope.link;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What the header of a zstd frame (RFC 8878, section 3.1.1.1) says about the memory that its decompression needs. It is
 * read before a decompressor is, so that a bomb costs nothing.
 *
 * @param windowBytes memory for the window; the content size in a single-segment frame
 * @param contentBytes stated size of the content, or -1 where the frame does not state it
 * @param hasDictionary the frame needs a dictionary, which the link does not allow
 * @param frameBytes length of this frame with its header and checksum, or -1 where the input ends before the frame does
 */
record ZstdFrameHeader(long windowBytes, long contentBytes, boolean hasDictionary, long frameBytes) {
    private static final int MAGIC = 0xFD2FB528;
    private static final int BLOCK_HEADER_BYTES = 3;
    private static final int BLOCK_TYPE_RLE = 1;
    private static final int BLOCK_TYPE_RESERVED = 3;

    /** Reads from the position to the limit of {@code input}, which stay; empty where no zstd frame begins there. */
    static Optional<ZstdFrameHeader> read(ByteBuffer input) {
        int start = input.position();
        int end = input.limit();
        if (end - start < 6 || Integer.reverseBytes(input.getInt(start)) != MAGIC) {
            return Optional.empty();
        }
        int descriptor = input.get(start + 4);
        boolean singleSegment = (descriptor & 0x20) != 0;
        boolean checksum = (descriptor & 0x04) != 0;
        int dictionaryBytes = new int[] {0, 1, 2, 4}[descriptor & 3];
        int contentSizeFlag = (descriptor >>> 6) & 3;
        int contentSizeBytes = contentSizeFlag == 0 ? (singleSegment ? 1 : 0) : 1 << contentSizeFlag;
        int at = start + 5;
        int headerEnd = at + (singleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes;
        if (headerEnd > end) {
            return Optional.empty();
        }
        long window = 0;
        if (!singleSegment) {
            int windowDescriptor = input.get(at++) & 0xFF;
            long base = 1L << (10 + (windowDescriptor >>> 3));
            window = base + (base >>> 3) * (windowDescriptor & 7);
        }
        boolean dictionary = littleEndian(input, at, dictionaryBytes) != 0;
        at += dictionaryBytes;
        long content = -1;
        if (contentSizeBytes > 0) {
            content = littleEndian(input, at, contentSizeBytes) + (contentSizeBytes == 2 ? 256 : 0);
            at += contentSizeBytes;
        }
        return Optional.of(new ZstdFrameHeader(
                singleSegment ? content : window, content, dictionary, frameBytes(input, start, at, end, checksum)));
    }

    private static long frameBytes(ByteBuffer input, int start, int firstBlock, int end, boolean checksum) {
        int at = firstBlock;
        boolean last = false;
        while (!last) {
            if (end - at < BLOCK_HEADER_BYTES) {
                return -1;
            }
            int header = (int) littleEndian(input, at, BLOCK_HEADER_BYTES);
            last = (header & 1) != 0;
            int type = (header >>> 1) & 3;
            int size = type == BLOCK_TYPE_RLE ? 1 : header >>> 3;
            at += BLOCK_HEADER_BYTES;
            if (type == BLOCK_TYPE_RESERVED || size > end - at) {
                return -1;
            }
            at += size;
        }
        int trailer = checksum ? 4 : 0;
        return end - at < trailer ? -1 : at - start + trailer;
    }

    private static long littleEndian(ByteBuffer input, int at, int bytes) {
        long value = 0;
        for (int i = bytes - 1; i >= 0; i--) {
            value = (value << 8) | (input.get(at + i) & 0xFF);
        }
        return value;
    }
}
