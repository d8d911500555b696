package io.sallyport.export.checkpoint;

import io.sallyport.envelope.proof.NoteKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.util.SubjectPublicKeyInfoFactory;

/**
 * The key that signs the checkpoints of a cell.
 *
 * @param note its public part, named after the cell
 */
public record SigningKey(NoteKey note, PrivateKey privateKey) {
    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";

    /**
     * Reads an Ed25519 key in PKCS#8, as PEM.
     *
     * @throws IOException where the file cannot be read or holds another key; the message names the file, never its content
     */
    public static SigningKey read(String cell, Path file) throws IOException {
        String pem = Files.readString(file);
        int begin = pem.indexOf(BEGIN);
        int end = pem.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(file + " holds no private key in PKCS#8");
        }
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(pem.substring(begin + BEGIN.length(), end));
            PrivateKey key = KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded));
            return new SigningKey(NoteKey.of(cell, publicOf(key)), key);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(file + " holds no Ed25519 key", e);
        }
    }

    private static PublicKey publicOf(PrivateKey key) throws IOException, GeneralSecurityException {
        byte[] seed = ((EdECPrivateKey) key)
                .getBytes()
                .orElseThrow(() -> new GeneralSecurityException("a key that does not show its bytes"));
        var parameters = new Ed25519PrivateKeyParameters(seed).generatePublicKey();
        return KeyFactory.getInstance("Ed25519")
                .generatePublic(
                        new X509EncodedKeySpec(SubjectPublicKeyInfoFactory.createSubjectPublicKeyInfo(parameters)
                                .getEncoded()));
    }

    @Override
    public String toString() {
        return "SigningKey[" + note + "]";
    }
}
