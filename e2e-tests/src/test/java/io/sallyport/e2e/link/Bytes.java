package io.sallyport.e2e.link;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Big-endian bytes, written field by field as the tables of the page have them. */
final class Bytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Bytes u8(int value) {
        out.write(value);
        return this;
    }

    Bytes u16(int value) {
        return u8(value >>> 8).u8(value);
    }

    Bytes u32(long value) {
        return u16((int) (value >>> 16)).u16((int) value);
    }

    Bytes u64(long value) {
        return u32(value >>> 32).u32(value);
    }

    Bytes raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    byte[] toArray() {
        return out.toByteArray();
    }

    static byte[] join(byte[]... parts) {
        var all = new Bytes();
        for (byte[] part : parts) {
            all.raw(part);
        }
        return all.toArray();
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
