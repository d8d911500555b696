package io.sallyport.export.config;

import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The head of all manifest chains, looked up now and then: a look costs a request for each shard. For one thread. */
final class ManifestHeadWatch implements Supplier<Optional<Hash>> {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestHeadWatch.class);
    private static final long EVERY_NANOS = 1_000_000_000L;

    private final ObjectStore store;
    private final int shards;
    private ManifestHeads known = new ManifestHeads(new TreeMap<>());
    private long dueNanos = System.nanoTime();

    ManifestHeadWatch(ObjectStore store, int shards) {
        this.store = store;
        this.shards = shards;
    }

    /** The last known one while the store cannot be reached: signing what the log holds must not wait for it. */
    @Override
    public Optional<Hash> get() {
        if (System.nanoTime() - dueNanos >= 0) {
            dueNanos = System.nanoTime() + EVERY_NANOS;
            try {
                var now = ManifestHeads.read(store, shards, known.heads());
                if (!now.equals(known)) {
                    // A verifier has only the root of them, from the checkpoint.
                    store.create(ManifestHeads.key(now.root()), now.text().getBytes(StandardCharsets.UTF_8));
                    known = now;
                }
            } catch (IOException e) {
                LOG.warn("the manifests cannot be read now", e);
            }
        }
        return known.heads().isEmpty() ? Optional.empty() : Optional.of(new Hash(known.root()));
    }
}
