package io.sallyport.envelope.hash;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.bouncycastle.crypto.digests.Blake3Digest;

/**
 * What two transmissions of one identity are compared by: the first 8 bytes of BLAKE3(u16 event_type, u16
 * payload_schema, i64 event_ts_us, SHA-256(payload)), big-endian. It covers the decompressed event, so that a resend
 * with another codec or batch split is the same.
 *
 * <p>Holds its digests to spare their allocation; one instance belongs to one thread.
 */
public final class ContentHash {
    private static final int INPUT_BYTES = 2 + 2 + 8 + 32;

    private final MessageDigest sha256;
    private final Blake3Digest blake3 = new Blake3Digest(256);
    private final byte[] input = new byte[INPUT_BYTES];
    private final byte[] out = new byte[8];

    public ContentHash() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The SHA-256 of {@code payload}, whose position is left as it was. */
    public byte[] payloadDigest(ByteBuffer payload) {
        sha256.reset();
        sha256.update(payload.duplicate());
        return sha256.digest();
    }

    /** The content hash of an event whose payload has the SHA-256 {@code payloadDigest}. */
    public long of(int eventType, int payloadSchema, long eventTsUs, byte[] payloadDigest) {
        ByteBuffer.wrap(input)
                .putShort((short) eventType)
                .putShort((short) payloadSchema)
                .putLong(eventTsUs)
                .put(payloadDigest, 0, 32);
        blake3.reset();
        blake3.update(input, 0, INPUT_BYTES);
        blake3.doFinal(out, 0, 8);
        return ByteBuffer.wrap(out).getLong();
    }
}
