package io.sallyport.e2e.link;

import java.util.Arrays;

/** A zstd frame put together by hand (RFC 8878): raw and run-length blocks only, so that every field can be chosen. */
final class ZstdFrame {
    /** Window_Descriptor: exponent 13, mantissa 0, which is 8 MiB. */
    static final int WINDOW_8_MIB = 13 << 3;
    /** The next larger window that the format has: 9 MiB. */
    static final int WINDOW_9_MIB = 13 << 3 | 1;

    static final int WINDOW_128_MIB = 17 << 3;
    private static final int MAX_BLOCK_BYTES = 128 << 10;
    private static final int RAW = 0;
    private static final int RUN = 1;

    private final Bytes out = new Bytes();

    private ZstdFrame() {
        // Magic_Number FD2FB528, little-endian.
        out.u8(0x28).u8(0xB5).u8(0x2F).u8(0xFD);
    }

    /** No content size, no checksum, no dictionary. */
    static ZstdFrame withWindow(int windowDescriptor) {
        var frame = new ZstdFrame();
        frame.out.u8(0x00).u8(windowDescriptor);
        return frame;
    }

    /** The same with a one-byte Dictionary_ID. */
    static ZstdFrame withDictionaryId(int id) {
        var frame = new ZstdFrame();
        frame.out.u8(0x01).u8(WINDOW_8_MIB).u8(id);
        return frame;
    }

    /** Single_Segment: no Window_Descriptor, the window is the stated content size (four bytes). */
    static ZstdFrame singleSegment(long contentBytes) {
        var frame = new ZstdFrame();
        frame.out.u8(0xA0);
        frame.littleEndian(contentBytes, 4);
        return frame;
    }

    /** A window and a content size (four bytes). */
    static ZstdFrame withWindowAndContentSize(int windowDescriptor, long contentBytes) {
        var frame = new ZstdFrame();
        frame.out.u8(0x80).u8(windowDescriptor);
        frame.littleEndian(contentBytes, 4);
        return frame;
    }

    /** The content in raw blocks, the last one marked as such. */
    byte[] holding(byte[] content) {
        int at = 0;
        do {
            byte[] part = Arrays.copyOfRange(content, at, Math.min(content.length, at + MAX_BLOCK_BYTES));
            at += part.length;
            blockHead(RAW, part.length, at == content.length);
            out.raw(part);
        } while (at < content.length);
        return out.toArray();
    }

    /** {@code bytes} times a zero byte, in run-length blocks of four bytes each. */
    byte[] holdingZeros(long bytes) {
        long left = bytes;
        do {
            int part = (int) Math.min(left, MAX_BLOCK_BYTES);
            left -= part;
            blockHead(RUN, part, left == 0);
            out.u8(0);
        } while (left > 0);
        return out.toArray();
    }

    /** A frame that decoders pass over, with eight bytes in it. */
    static byte[] skippable() {
        // Magic_Number 184D2A50, size 8, both little-endian.
        return new Bytes()
                .raw(new byte[] {0x50, 0x2A, 0x4D, 0x18, 8, 0, 0, 0})
                .u64(0)
                .toArray();
    }

    /** Block_Header, three bytes little-endian: last (1 bit), type (2 bits), size (21 bits). */
    private void blockHead(int type, int bytes, boolean last) {
        littleEndian((long) bytes << 3 | (long) type << 1 | (last ? 1 : 0), 3);
    }

    private void littleEndian(long value, int bytes) {
        for (int i = 0; i < bytes; i++) {
            out.u8((int) (value >>> 8 * i));
        }
    }
}
