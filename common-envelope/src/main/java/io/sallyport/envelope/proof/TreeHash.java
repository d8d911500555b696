package io.sallyport.envelope.proof;

import org.bouncycastle.crypto.Digest;
import org.bouncycastle.crypto.digests.Blake3Digest;

/**
 * The three hashes of an RFC 6962 tree: leaves and nodes are told apart by a first byte, so that no inner node can be
 * offered as a leaf. Sallyport's trees use BLAKE3 with 32 bytes; the shape is that of the RFC whatever the digest.
 *
 * <p>Holds its digest to spare the allocation; one instance belongs to one thread.
 */
public final class TreeHash {
    public static final int BYTES = 32;
    private static final byte LEAF = 0;
    private static final byte NODE = 1;

    private final Digest digest;

    /** BLAKE3. */
    public TreeHash() {
        this(new Blake3Digest(BYTES * 8));
    }

    /** @param digest with 32 bytes of output; published trees of other logs are checked with theirs */
    TreeHash(Digest digest) {
        if (digest.getDigestSize() != BYTES) {
            throw new IllegalArgumentException("a tree hash has " + BYTES + " bytes");
        }
        this.digest = digest;
    }

    /** Root of a tree without leaves: the hash of nothing. */
    public byte[] empty() {
        return finish();
    }

    /** Hash of the leaf that holds {@code entry}. */
    public byte[] leaf(byte[] entry) {
        return leaf(entry, entry.length);
    }

    /** Hash of the leaf that holds the first {@code length} bytes of {@code entry}. */
    public byte[] leaf(byte[] entry, int length) {
        digest.update(LEAF);
        digest.update(entry, 0, length);
        return finish();
    }

    /** Hash of the node above two others. */
    public byte[] node(byte[] left, byte[] right) {
        digest.update(NODE);
        digest.update(left, 0, BYTES);
        digest.update(right, 0, BYTES);
        return finish();
    }

    private byte[] finish() {
        var out = new byte[BYTES];
        // Also resets the digest.
        digest.doFinal(out, 0);
        return out;
    }
}
