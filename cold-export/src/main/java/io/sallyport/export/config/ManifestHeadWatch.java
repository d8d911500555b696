package io.sallyport.export.config;

import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.export.checkpoint.ManifestHead;
import io.sallyport.export.core.Position;
import io.sallyport.export.manifest.ChainExtension;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The head of all manifest chains, looked up now and then: a look costs a request for each shard. It begins at what was signed
 * last, so that neither a restart nor a store that is away lets a chain be signed that does not extend it. For one thread.
 */
final class ManifestHeadWatch implements ManifestHead {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestHeadWatch.class);
    private static final long EVERY_NANOS = 1_000_000_000L;

    private final ObjectStore store;
    private final int shards;
    private ManifestHeads known = new ManifestHeads(new TreeMap<>());
    private boolean begun;
    private Optional<String> fault = Optional.empty();
    private long dueNanos = System.nanoTime();

    ManifestHeadWatch(ObjectStore store, int shards) {
        this.store = store;
        this.shards = shards;
    }

    /** The last known one while the store cannot be reached: signing what the log holds must not wait for it. */
    @Override
    public Next after(Optional<Hash> signed) {
        if (fault.isEmpty() && System.nanoTime() - dueNanos >= 0) {
            dueNanos = System.nanoTime() + EVERY_NANOS;
            try {
                look(signed);
            } catch (IOException e) {
                LOG.warn("the manifests cannot be read now", e);
            }
        }
        if (!begun) {
            return new Next(signed, fault);
        }
        return new Next(known.heads().isEmpty() ? Optional.empty() : Optional.of(new Hash(known.root())), fault);
    }

    private void look(Optional<Hash> signed) throws IOException {
        if (!begun && signed.isPresent()) {
            begin(signed.get());
        }
        if (fault.isPresent()) {
            return;
        }
        var now = ManifestHeads.read(store, shards, known.heads());
        for (int shard = 0; shard < shards && fault.isEmpty(); shard++) {
            ManifestChain.Head from = known.heads().getOrDefault(shard, ManifestChain.Head.NONE);
            ManifestChain.Head to = now.heads().getOrDefault(shard, ManifestChain.Head.NONE);
            fault = ChainExtension.fault(new ManifestChain(store, shard), from, to);
        }
        if (fault.isPresent()) {
            return;
        }
        if (!now.equals(known)) {
            // A verifier has only the root of them, from the checkpoint.
            store.create(ManifestHeads.key(now.root()), now.text().getBytes(StandardCharsets.UTF_8));
            known = now;
        }
        begun = true;
    }

    private void begin(Hash signed) throws IOException {
        Optional<List<ManifestHeads.Line>> lines = store.read(ManifestHeads.key(signed.bytes()))
                .flatMap(bytes -> ManifestHeads.parse(new String(bytes, StandardCharsets.UTF_8), signed.bytes()));
        if (lines.isEmpty()) {
            fault = Optional.of("the manifest heads that the last checkpoint binds are missing or changed");
            return;
        }
        Map<Integer, ManifestChain.Head> heads = new TreeMap<>();
        for (ManifestHeads.Line line : lines.get()) {
            var head = new ManifestChain.Head(line.version(), line.sha256(), Position.START);
            if (line.shard() >= shards || !ChainExtension.isStored(new ManifestChain(store, line.shard()), head)) {
                fault = Optional.of("manifest " + line.version() + " of shard " + line.shard()
                        + " is not the one that the last checkpoint binds");
                return;
            }
            heads.put(line.shard(), head);
        }
        known = new ManifestHeads(new TreeMap<>(heads));
    }
}
