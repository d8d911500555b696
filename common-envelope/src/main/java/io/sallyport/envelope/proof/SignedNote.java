package io.sallyport.envelope.proof;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Base64;
import java.util.Optional;

/**
 * Text with signatures below it, in the form of the C2SP specification "signed-note": the text ends with a newline, an
 * empty line follows, then {@code — name base64(id, signature)} for each key.
 */
public final class SignedNote {
    /** An em dash, as the specification has it. */
    private static final String MARK = "\u2014 ";

    private static final String SEPARATOR = "\n\n";
    private static final int SIGNATURE_BYTES = 64;
    /** What is read from outside is bounded before it is looked at. */
    private static final int MOST_CHARACTERS = 16 << 20;

    private SignedNote() {}

    /**
     * The note.
     *
     * @param text ends with a newline
     * @throws IllegalArgumentException where the text cannot be signed, or the private key is not that of {@code key}
     */
    public static String sign(String text, NoteKey key, PrivateKey privateKey) {
        if (!text.endsWith("\n") || text.contains(SEPARATOR)) {
            throw new IllegalArgumentException("a note's text ends with a newline and has no empty line");
        }
        try {
            Signature signer = Signature.getInstance("Ed25519");
            signer.initSign(privateKey);
            signer.update(text.getBytes(StandardCharsets.UTF_8));
            byte[] signature = signer.sign();
            if (!isValid(text, key, signature)) {
                throw new IllegalArgumentException("the private key is not that of " + key.name());
            }
            byte[] typed = ByteBuffer.allocate(4 + SIGNATURE_BYTES)
                    .putInt(key.id())
                    .put(signature)
                    .array();
            return text + "\n" + MARK + key.name() + " " + Base64.getEncoder().encodeToString(typed) + "\n";
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("not an Ed25519 key", e);
        }
    }

    /** The text of a note, where one of its signatures is a valid one of {@code key}; signatures of others are ignored. */
    public static Optional<String> open(String note, NoteKey key) {
        int end = note.lastIndexOf(SEPARATOR);
        if (note.length() > MOST_CHARACTERS || end < 0 || !note.endsWith("\n")) {
            return Optional.empty();
        }
        String text = note.substring(0, end + 1);
        if (text.contains(SEPARATOR)) {
            return Optional.empty();
        }
        boolean signed = note.substring(end + SEPARATOR.length())
                .lines()
                .anyMatch(line -> signature(line, key)
                        .filter(signature -> isValid(text, key, signature))
                        .isPresent());
        return signed ? Optional.of(text) : Optional.empty();
    }

    private static Optional<byte[]> signature(String line, NoteKey key) {
        String mine = MARK + key.name() + " ";
        if (!line.startsWith(mine)) {
            return Optional.empty();
        }
        try {
            var typed = ByteBuffer.wrap(Base64.getDecoder().decode(line.substring(mine.length())));
            if (typed.remaining() != 4 + SIGNATURE_BYTES || typed.getInt() != key.id()) {
                return Optional.empty();
            }
            var signature = new byte[SIGNATURE_BYTES];
            typed.get(signature);
            return Optional.of(signature);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isValid(String text, NoteKey key, byte[] signature) {
        try {
            Signature verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(key.key());
            verifier.update(text.getBytes(StandardCharsets.UTF_8));
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
