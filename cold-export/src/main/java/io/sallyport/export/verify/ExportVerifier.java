package io.sallyport.export.verify;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.PartitionPath;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks an export as it lies there, without the log: each checkpoint binds the heads of the manifest chains, each manifest
 * binds the one before and the bytes of its files, and every row is the leaf that the exported segments have. No file may
 * lie there that no manifest names. Versions beyond the newest checkpoint are reported as not yet covered.
 */
public final class ExportVerifier {
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
        this.anchors = new Anchors(pin, newest);
    }

    /** @throws IOException where the store cannot be read; what it holds is then not judged */
    public Verdict verify() throws IOException {
        try {
            anchors.check();
            Map<Integer, List<ManifestHeads.Line>> bound = new HashMap<>();
            boolean anchored = false;
            for (Checkpoint checkpoint : anchors.checkpoints()) {
                if (checkpoint.manifests().isPresent()) {
                    anchored = true;
                    for (ManifestHeads.Line line : heads(checkpoint.manifests().get())) {
                        bound.computeIfAbsent(line.shard(), shard -> new ArrayList<>())
                                .add(line);
                    }
                }
            }
            var shards = new TreeSet<>(ManifestChain.shards(store));
            shards.addAll(bound.keySet());
            var reports = new ArrayList<Verdict.ShardReport>();
            Set<String> named = new HashSet<>();
            Map<Integer, Long> versions = new HashMap<>();
            for (int shard : shards) {
                var verifier = new ExportShardVerifier(
                        store, scratch, cell, shard, bound.getOrDefault(shard, List.of()), anchors);
                reports.addAll(verifier.verify());
                named.addAll(verifier.named());
                versions.put(shard, verifier.versions());
            }
            strangers(named, versions);
            if (anchors.pin().isEmpty()) {
                return new Verdict.Unanchored(reports, "no checkpoint from outside was given");
            }
            return anchored || shards.isEmpty()
                    ? new Verdict.Verified(reports)
                    : new Verdict.Unanchored(reports, "no checkpoint covers the export yet");
        } catch (TamperedException e) {
            return e.verdict();
        }
    }

    /** The heads that a checkpoint binds; they are stored under the hash that it has of them. */
    private List<ManifestHeads.Line> heads(Hash bound) throws IOException, TamperedException {
        Optional<byte[]> text = store.read(ManifestHeads.key(bound.bytes()));
        return text.flatMap(bytes -> ManifestHeads.parse(new String(bytes, StandardCharsets.UTF_8), bound.bytes()))
                .orElseThrow(() -> new TamperedException(new Verdict.Tampered(
                        -1, -1, "", "the manifest heads that the checkpoint binds are missing or changed")));
    }

    /** Whoever reads the folder would read them too. */
    private void strangers(Set<String> named, Map<Integer, Long> versions) throws IOException, TamperedException {
        var files = new ArrayList<>(store.list(PartitionPath.ROOT, ""));
        files.addAll(store.list(PartitionPath.VOID_ROOT, ""));
        for (String file : files) {
            if (!named.contains(file) && !isOfOpenIntent(file, versions)) {
                throw new TamperedException(
                        new Verdict.Tampered(-1, -1, file, "a file that no manifest names: " + file));
            }
        }
    }

    /** A worker writes the files of a version before its manifest. */
    private static boolean isOfOpenIntent(String file, Map<Integer, Long> versions) {
        for (Map.Entry<Integer, Long> shard : versions.entrySet()) {
            OptionalLong version = Intent.versionOf(shard.getKey(), file);
            if (version.isPresent()) {
                return version.getAsLong() == shard.getValue();
            }
        }
        return false;
    }
}
