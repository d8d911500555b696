package io.sallyport.envelope.proof;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A public key of signed notes in the form that the C2SP specification "signed-note" gives it:
 * {@code name+id+base64(0x01, key)}.
 *
 * @param name no space and no plus sign
 * @param id what tells keys of one name apart: the first 4 bytes of SHA-256(name, 0x0A, 0x01, key)
 * @param key Ed25519
 */
public record NoteKey(String name, int id, PublicKey key) {
    private static final byte ED25519 = 1;
    private static final int RAW_BYTES = 32;
    /** SubjectPublicKeyInfo of an Ed25519 key: what stands before its 32 bytes (RFC 8410). */
    private static final byte[] SPKI_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

    public NoteKey {
        if (!isName(name)) {
            throw new IllegalArgumentException("a key's name is not empty and has no space and no plus sign");
        }
    }

    /** @throws IllegalArgumentException where it is no Ed25519 key */
    public static NoteKey of(String name, PublicKey key) {
        return new NoteKey(name, id(name, raw(key)), key);
    }

    static boolean isName(String name) {
        return !name.isEmpty() && name.chars().noneMatch(c -> c == '+' || Character.isSpaceChar(c) || c < ' ');
    }

    /** @throws IllegalArgumentException where the text is no such key, or its id is not that of its key */
    public static NoteKey parse(String text) {
        String[] parts = text.split("\\+", 3);
        if (parts.length != 3) {
            throw new IllegalArgumentException("not a key of signed notes: name+id+key is expected");
        }
        byte[] typed = Base64.getDecoder().decode(parts[2]);
        if (typed.length != 1 + RAW_BYTES || typed[0] != ED25519) {
            throw new IllegalArgumentException("not an Ed25519 key");
        }
        byte[] raw = Arrays.copyOfRange(typed, 1, typed.length);
        int id = id(parts[0], raw);
        if (!HexFormat.of().toHexDigits(id).equals(parts[1])) {
            throw new IllegalArgumentException(
                    "the key's id is " + HexFormat.of().toHexDigits(id));
        }
        try {
            byte[] encoded = ByteBuffer.allocate(SPKI_PREFIX.length + RAW_BYTES)
                    .put(SPKI_PREFIX)
                    .put(raw)
                    .array();
            PublicKey key = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
            return new NoteKey(parts[0], id, key);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("not an Ed25519 key", e);
        }
    }

    @Override
    public String toString() {
        byte[] typed = new byte[1 + RAW_BYTES];
        typed[0] = ED25519;
        System.arraycopy(raw(key), 0, typed, 1, RAW_BYTES);
        return name + "+" + HexFormat.of().toHexDigits(id) + "+"
                + Base64.getEncoder().encodeToString(typed);
    }

    private static byte[] raw(PublicKey key) {
        byte[] encoded = key.getEncoded();
        if (encoded == null
                || encoded.length != SPKI_PREFIX.length + RAW_BYTES
                || !Arrays.equals(encoded, 0, SPKI_PREFIX.length, SPKI_PREFIX, 0, SPKI_PREFIX.length)) {
            throw new IllegalArgumentException("not an Ed25519 key");
        }
        return Arrays.copyOfRange(encoded, SPKI_PREFIX.length, encoded.length);
    }

    private static int id(String name, byte[] raw) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            sha256.update(name.getBytes(StandardCharsets.UTF_8));
            sha256.update((byte) '\n');
            sha256.update(ED25519);
            return ByteBuffer.wrap(sha256.digest(raw)).getInt();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
