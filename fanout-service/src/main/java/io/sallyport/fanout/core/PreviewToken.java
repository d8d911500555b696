package io.sallyport.fanout.core;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Names exactly one set of sensors of one customer until it expires: SHA-256 over the customer, the expiry and every
 * id. It holds no secret: whoever can make one already knows the whole set, and it opens nothing that a publish
 * without it would not.
 *
 * @param expiresAtMs after it the token is stale
 */
public record PreviewToken(long expiresAtMs, byte[] digest) {
    private static final byte VERSION = 1;
    private static final int DIGEST_BYTES = 32;
    /** Base64 with padding. */
    private static final int MAX_CHARS = (1 + Long.BYTES + DIGEST_BYTES + 2) / 3 * 4;

    public static PreviewToken of(String customerId, SensorSet sensors, long expiresAtMs) {
        MessageDigest digest = MessageContent.sha256();
        MessageContent.text(digest, customerId);
        MessageContent.number(digest, expiresAtMs);
        sensors.digest(digest);
        return new PreviewToken(expiresAtMs, digest.digest());
    }

    /** Empty for text that no preview has given. */
    public static Optional<PreviewToken> parse(String text) {
        if (text.length() > MAX_CHARS) {
            return Optional.empty();
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            if (bytes.remaining() != 1 + Long.BYTES + DIGEST_BYTES || bytes.get() != VERSION) {
                return Optional.empty();
            }
            long expiresAtMs = bytes.getLong();
            var digest = new byte[DIGEST_BYTES];
            bytes.get(digest);
            return Optional.of(new PreviewToken(expiresAtMs, digest));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    public boolean names(String customerId, SensorSet sensors) {
        return equals(of(customerId, sensors, expiresAtMs));
    }

    public String text() {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(ByteBuffer.allocate(1 + Long.BYTES + DIGEST_BYTES)
                        .put(VERSION)
                        .putLong(expiresAtMs)
                        .put(digest)
                        .array());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PreviewToken token
                && token.expiresAtMs == expiresAtMs
                && Arrays.equals(token.digest, digest);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digest);
    }
}
