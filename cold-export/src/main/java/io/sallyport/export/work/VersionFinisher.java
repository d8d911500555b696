package io.sallyport.export.work;

import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.core.Row;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.manifest.ManifestJson;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.export.parquet.RowFileReader;
import io.sallyport.export.spill.RunSorter;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.store.Sha256;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Finishes the versions that need no log: compactions, takeovers, trims and erasures.
 *
 * <p>A file that is missing or damaged is not mended by trying again, and the shard's next version cannot wait for it. So the
 * inputs of a compaction or a takeover are read before it is claimed; and one that was claimed and cannot be done is given up:
 * its manifest takes no file away and adds none, and states that.
 */
final class VersionFinisher {
    /** Rows in memory while files are merged. */
    private static final long BUFFER_BYTES = 32L << 20;

    private final ExportSettings settings;
    private final ObjectStore store;
    private final ManifestChain chain;
    private final ExportMetrics metrics;

    VersionFinisher(ExportSettings settings, ObjectStore store, ManifestChain chain, ExportMetrics metrics) {
        this.settings = settings;
        this.store = store;
        this.chain = chain;
        this.metrics = metrics;
    }

    /** The rows of files that a version takes away, on the local disk. */
    final class Inputs implements AutoCloseable {
        private final Path scratch = settings.scratch().resolve("compaction-" + UUID.randomUUID());
        private final RunSorter rows = new RunSorter(scratch);

        private Inputs() throws IOException {}

        /** @return what is wrong with the file, which is left out then */
        Optional<String> add(FileEntry input) throws IOException {
            Path file = scratch.resolve("input.parquet");
            Optional<String> fault = fetch(store, input, file);
            if (fault.isEmpty()) {
                read(file, rows);
            }
            Files.deleteIfExists(file);
            return fault;
        }

        @Override
        public void close() throws IOException {
            rows.close();
        }
    }

    Inputs inputs() throws IOException {
        return new Inputs();
    }

    /** @return what is wrong with a file; empty where it was downloaded and is what its manifest says */
    static Optional<String> fetch(ObjectStore store, FileEntry entry, Path file) throws IOException {
        if (!store.download(entry.path(), file)) {
            return Optional.of(entry.path() + " is missing");
        }
        return Files.size(file) == entry.size() && Sha256.of(file).equals(entry.sha256())
                ? Optional.empty()
                : Optional.of(entry.path() + " is not what its manifest says");
    }

    /** Does what an intent says that was found open, unless another worker has done it by then. */
    void finish(Intent intent) throws IOException {
        if (intent.kind() == ManifestKind.TRIM || intent.kind() == ManifestKind.ERASURE) {
            remove(intent);
            return;
        }
        try (Inputs inputs = inputs()) {
            for (FileEntry input : intent.inputs()) {
                Optional<String> fault = inputs.add(input);
                if (fault.isPresent()) {
                    giveUp(intent, fault.get());
                    return;
                }
            }
            finish(intent, inputs);
        }
    }

    /** Writes the same rows to other files. */
    void finish(Intent intent, Inputs inputs) throws IOException {
        CurrentRecords current = intent.to().current();
        var files = new RowFiles(store, inputs.scratch, settings.fileBytes());
        RowFiles.Written written;
        try {
            written = files.write(
                    intent,
                    inputs.rows::sorted,
                    intent.kind() == ManifestKind.COMPACTION
                            ? row -> true
                            : row -> current.of(row.origin()) == CurrentRecords.Standing.CURRENT);
        } catch (ExportConflictException e) {
            giveUp(intent, String.valueOf(e.getMessage()));
            return;
        }
        long expected = intent.inputs().stream().mapToLong(FileEntry::rows).sum();
        if (written.rows() != expected) {
            giveUp(intent, "expected " + expected + " rows in its files, found " + written.rows());
        } else if (!commit(intent, intent.inputs(), written.files(), "")) {
            removeOrphans(intent.version(), written.created());
        }
    }

    /** A file is missing or was changed, as was found before anything was claimed. */
    void damaged(String fault) {
        metrics.damaged(chain.shard(), fault);
    }

    private void giveUp(Intent intent, String why) throws IOException {
        // Where it was done in the meantime, and its inputs are gone for that reason, there is a manifest already.
        String statement = "GIVEN UP cell=%s shard=%d version=%d: %s"
                .formatted(intent.cell(), intent.shard(), intent.version(), why);
        if (commit(intent, List.of(), List.of(), statement)) {
            metrics.damaged(intent.shard(), intent.kind() + " " + intent.version() + " is given up: " + why);
        }
    }

    private static void read(Path file, RunSorter rows) throws IOException {
        try (var reader = new RowFileReader(file)) {
            for (Optional<StructuredRecord> record = reader.next(); record.isPresent(); record = reader.next()) {
                Row row = Row.parse(record.get().toByteArray()).orElseThrow(() -> new IOException("not a row"));
                rows.add(row);
                if (rows.bufferedBytes() > BUFFER_BYTES) {
                    rows.spill();
                }
            }
        }
    }

    private void remove(Intent intent) throws IOException {
        long rows = intent.inputs().stream().mapToLong(FileEntry::rows).sum();
        String what = intent.kind() == ManifestKind.TRIM
                ? "TRIM cell=%s shard=%d version=%d before=%s"
                : "ERASED cell=%s shard=%d version=%d customer=%s";
        String statement = (what + " files=%d rows=%d")
                .formatted(
                        intent.cell(),
                        intent.shard(),
                        intent.version(),
                        intent.subject(),
                        intent.inputs().size(),
                        rows);
        commit(intent, intent.inputs(), List.of(), statement);
        for (FileEntry file : intent.inputs()) {
            store.delete(file.path());
        }
    }

    private boolean commit(Intent intent, List<FileEntry> removed, List<FileEntry> added, String statement)
            throws IOException {
        var manifest = new Manifest(
                intent.kind(),
                intent.cell(),
                intent.shard(),
                intent.version(),
                intent.previous(),
                Sha256.of(ManifestJson.encode(intent)),
                intent.atUs(),
                List.of(),
                added.stream().mapToLong(FileEntry::rows).sum(),
                List.of(),
                List.of(),
                added,
                removed,
                Manifest.ProofFile.NONE,
                intent.to(),
                statement);
        boolean ours = chain.commit(manifest);
        if (ours) {
            metrics.committed(manifest);
        }
        return ours;
    }

    /**
     * Removes files that were made for a version that another worker had finished: it may have been finished so long ago
     * that a later one took its files away, and then nobody would miss those that came again.
     */
    void removeOrphans(long version, List<String> created) throws IOException {
        Set<String> orphans = new HashSet<>(created);
        Optional<Manifest> manifest = chain.manifest(version);
        if (manifest.isEmpty()) {
            return;
        }
        Set<String> live = new HashSet<>();
        for (long next = version; manifest.isPresent(); manifest = chain.manifest(++next)) {
            manifest.get().added().forEach(file -> live.add(file.path()));
            manifest.get().removed().forEach(file -> live.remove(file.path()));
        }
        orphans.removeAll(live);
        for (String path : orphans) {
            store.delete(path);
        }
    }
}
