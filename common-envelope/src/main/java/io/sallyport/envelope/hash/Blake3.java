package io.sallyport.envelope.hash;

import org.bouncycastle.crypto.digests.Blake3Digest;

/** BLAKE3 over small inputs; payloads enter through their SHA-256, which the JDK computes several times faster. */
public final class Blake3 {
    private Blake3() {}

    /** The first {@code bytes} bytes of BLAKE3({@code input}). */
    public static byte[] hash(byte[] input, int bytes) {
        var digest = new Blake3Digest(bytes * 8);
        digest.update(input, 0, input.length);
        var out = new byte[bytes];
        digest.doFinal(out, 0);
        return out;
    }
}
