package io.sallyport.export.verify;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.export.core.PartitionPath;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.verify.ExportShardVerifier.Bound;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks an export as it lies there, without the log: each checkpoint binds the heads of the manifest chains, each manifest
 * binds the one before and the bytes of its files, and every row is the leaf that the exported segments have. No file may
 * lie there that no manifest names. Versions beyond the newest checkpoint are reported as not yet covered.
 *
 * <p>An exporter may be at work meanwhile: files are listed before the manifests that name them are read, and what is found in
 * a shard counts only if the shard has no newer version by then.
 */
public final class ExportVerifier {
    private static final int ATTEMPTS = 10;

    private final ObjectStore store;
    private final Path scratch;
    private final String cell;
    private final Anchors anchors;

    /**
     * @param scratch folder on the local disk, with room for one file of the export
     * @param newest the newest checkpoint that is known, whose signature was checked with the pin's key
     */
    public ExportVerifier(
            ObjectStore store, Path scratch, String cell, Optional<Pin> pin, Optional<Checkpoint> newest) {
        this.store = store;
        this.scratch = scratch;
        this.cell = cell;
        this.anchors = Anchors.ofCopies(pin, newest);
    }

    /** @throws IOException where the store cannot be read; what it holds is then not judged */
    public Verdict verify() throws IOException {
        try {
            anchors.check();
            Map<Integer, Bound> bound = bound();
            var files = new ArrayList<>(store.list(PartitionPath.ROOT, ""));
            files.addAll(store.list(PartitionPath.VOID_ROOT, ""));
            var manifests = manifests();
            var shards = new TreeSet<>(manifests.newest().keySet());
            shards.addAll(bound.keySet());
            var reports = new ArrayList<Verdict.ShardReport>();
            var verifiers = new TreeMap<Integer, ExportShardVerifier>();
            for (int shard : shards) {
                long newest = manifests.newest().getOrDefault(shard, -1L);
                verifiers.put(shard, verify(shard, newest, bound.getOrDefault(shard, Bound.NOTHING), reports));
            }
            var notes = new ArrayList<String>();
            verifiers.values().forEach(verifier -> notes.addAll(verifier.notes()));
            notes.addAll(new Leftovers(store, scratch, verifiers).check(files));
            return why(verifiers)
                    .<Verdict>map(why -> new Verdict.Unanchored(reports, why, notes))
                    .orElseGet(() -> new Verdict.Verified(reports, notes));
        } catch (TamperedException e) {
            return e.verdict();
        }
    }

    private ExportShardVerifier verify(int shard, long newest, Bound bound, List<Verdict.ShardReport> reports)
            throws IOException, TamperedException {
        long version = newest;
        for (int attempt = 1; ; attempt++) {
            var verifier = new ExportShardVerifier(store, scratch, cell, shard, bound, anchors);
            try {
                reports.addAll(verifier.verify(version));
                return verifier;
            } catch (TamperedException e) {
                long now = manifests().newest().getOrDefault(shard, -1L);
                if (now == version || attempt == ATTEMPTS) {
                    throw e;
                }
                version = now;
            }
        }
    }

    private StoredManifests manifests() throws IOException, TamperedException {
        StoredManifests manifests = StoredManifests.read(store);
        if (!manifests.strangers().isEmpty()) {
            String stranger = manifests.strangers().get(0);
            throw new TamperedException(new Verdict.Tampered(
                    -1, -1, stranger, "an object among the manifests that no exporter makes: " + stranger));
        }
        return manifests;
    }

    /** Why nothing from outside vouches for all that is there; empty where the checkpoints do. */
    private Optional<String> why(Map<Integer, ExportShardVerifier> verifiers) {
        if (anchors.pin().isEmpty()) {
            return Optional.of("no checkpoint from outside was given");
        }
        if (anchors.checkpoints().stream()
                .allMatch(checkpoint -> checkpoint.manifests().isEmpty())) {
            return Optional.of("no checkpoint covers the export yet");
        }
        List<String> unreached = verifiers.values().stream()
                .flatMap(verifier -> verifier.unreached().stream())
                .toList();
        if (!unreached.isEmpty()) {
            return Optional.of("the export does not come as far as the pin yet: " + String.join("; ", unreached));
        }
        List<String> unsigned = verifiers.values().stream()
                .flatMap(verifier -> verifier.unsigned().stream())
                .toList();
        return unsigned.isEmpty()
                ? Optional.empty()
                : Optional.of("rows are not there, and no checkpoint covers the statement that says why: "
                        + String.join("; ", unsigned));
    }

    private Map<Integer, Bound> bound() throws IOException, TamperedException {
        Map<Integer, Bound> bound = new HashMap<>();
        Optional<Checkpoint> pinned = anchors.pin().map(Pin::checkpoint);
        for (Checkpoint checkpoint : anchors.checkpoints()) {
            if (checkpoint.manifests().isEmpty()) {
                continue;
            }
            for (ManifestHeads.Line line : heads(checkpoint.manifests().get())) {
                Bound before = bound.getOrDefault(line.shard(), Bound.NOTHING);
                Map<Long, String> sha256 = new HashMap<>(before.sha256());
                String other = sha256.put(line.version(), line.sha256());
                if (other != null && !other.equals(line.sha256())) {
                    throw new TamperedException(new Verdict.Tampered(
                            line.shard(),
                            -1,
                            "",
                            "manifests: two checkpoints bind different versions " + line.version()));
                }
                bound.put(
                        line.shard(),
                        new Bound(
                                pinned.equals(Optional.of(checkpoint)) ? line.version() : before.pinned(),
                                Math.max(before.newest(), line.version()),
                                sha256));
            }
        }
        return bound;
    }

    /** The heads that a checkpoint binds; they are stored under the hash that it has of them. */
    private List<ManifestHeads.Line> heads(Hash bound) throws IOException, TamperedException {
        String key = ManifestHeads.key(bound.bytes());
        return store.read(key)
                .flatMap(bytes -> ManifestHeads.parse(new String(bytes, StandardCharsets.UTF_8), bound.bytes()))
                .orElseThrow(() -> new TamperedException(new Verdict.Tampered(
                        -1, -1, key, "the manifest heads that the checkpoint binds are missing or changed")));
    }
}
