package io.sallyport.export.manifest;

import io.sallyport.export.core.Manifest;
import io.sallyport.export.store.Sha256;
import java.io.IOException;
import java.util.Optional;

/** Whether a shard's manifests continue a head that was known before. */
public final class ChainExtension {
    private ChainExtension() {}

    /**
     * @param from known head
     * @param to head that is there now
     * @return what is wrong; empty where every version since names the one before
     */
    public static Optional<String> fault(ManifestChain chain, ManifestChain.Head from, ManifestChain.Head to)
            throws IOException {
        if (to.version() < from.version()) {
            return Optional.of("manifest " + from.version() + " of shard " + chain.shard() + " is gone");
        }
        String previous = from.sha256();
        for (long version = from.version() + 1; version <= to.version(); version++) {
            Optional<byte[]> bytes = chain.manifestBytes(version);
            if (bytes.isEmpty()) {
                return Optional.of("manifest " + version + " of shard " + chain.shard() + " is missing");
            }
            Manifest manifest;
            try {
                manifest = ManifestJson.manifest(bytes.get());
            } catch (IOException e) {
                return Optional.of("manifest " + version + " of shard " + chain.shard() + " cannot be read");
            }
            if (manifest.version() != version || !manifest.previous().equals(previous)) {
                return Optional.of("manifest " + version + " of shard " + chain.shard()
                        + " does not follow the one that was signed");
            }
            previous = Sha256.of(bytes.get());
        }
        return previous.equals(to.sha256())
                ? Optional.empty()
                : Optional.of("manifest " + to.version() + " of shard " + chain.shard() + " is another one");
    }

    /** Whether what is stored as a head's version is that version. */
    public static boolean isStored(ManifestChain chain, ManifestChain.Head head) throws IOException {
        return chain.manifestBytes(head.version())
                .map(Sha256::of)
                .filter(head.sha256()::equals)
                .isPresent();
    }
}
