package io.sallyport.export.manifest;

import io.sallyport.export.core.Manifest;
import io.sallyport.export.store.Sha256;
import java.io.IOException;
import java.util.Optional;

/** Reads the manifests of a shard from the first to a head that is known from elsewhere, and checks every link. */
public final class ChainReader {
    private ChainReader() {}

    /** Takes the manifests in order. */
    public interface Visitor<E extends Exception> {
        /** @param sha256 of the manifest's bytes, in hexadecimal */
        void accept(Manifest manifest, String sha256) throws IOException, E;
    }

    /**
     * Gives each manifest up to the head, and tells the first thing that is wrong: a missing version, a manifest that does
     * not name the one before, one that does not belong to its place, or another head.
     *
     * @param version of the head
     * @param sha256 of the head's bytes, in hexadecimal
     * @return empty where the chain is the one that the head stands for
     */
    public static <E extends Exception> Optional<String> read(
            ManifestChain chain, long version, String sha256, Visitor<E> visitor) throws IOException, E {
        String previous = Manifest.GENESIS;
        for (long at = 0; at <= version; at++) {
            Optional<byte[]> bytes = chain.manifestBytes(at);
            if (bytes.isEmpty()) {
                return Optional.of(
                        chain.manifestBytes(at + 1).isPresent()
                                ? "missing " + at
                                : "expected " + (version + 1) + " found " + at);
            }
            Manifest manifest;
            try {
                manifest = ManifestJson.manifest(bytes.get());
            } catch (IOException e) {
                return Optional.of("mismatch at " + at + ": " + e.getMessage());
            }
            if (manifest.version() != at || manifest.shard() != chain.shard()) {
                return Optional.of("order broken at " + at);
            }
            if (!manifest.previous().equals(previous)) {
                return Optional.of("mismatch at " + (at - 1));
            }
            Optional<byte[]> intent = chain.intentBytes(at);
            if (intent.isEmpty() || !Sha256.of(intent.get()).equals(manifest.intent())) {
                return Optional.of("the intent of " + at + " is another one");
            }
            previous = Sha256.of(bytes.get());
            visitor.accept(manifest, previous);
        }
        return previous.equals(sha256) ? Optional.empty() : Optional.of("mismatch at " + version);
    }
}
