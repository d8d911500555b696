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
import java.util.function.Predicate;

/** Finishes the versions that need no log: compactions, takeovers, trims and erasures. */
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

    /** Does what the intent says, unless another worker has done it by then. */
    void finish(Intent intent) throws IOException {
        switch (intent.kind()) {
            case COMPACTION -> rewrite(intent, row -> true);
            case SUPERSEDE -> {
                CurrentRecords current = intent.to().current();
                rewrite(intent, row -> current.of(row.origin()) == CurrentRecords.Standing.CURRENT);
            }
            default -> remove(intent);
        }
    }

    /** The same rows in other files. */
    private void rewrite(Intent intent, Predicate<Row> isCurrent) throws IOException {
        Path scratch = settings.scratch().resolve("compaction-" + UUID.randomUUID());
        try (var rows = new RunSorter(scratch)) {
            for (FileEntry input : intent.inputs()) {
                Path file = scratch.resolve("input.parquet");
                if (!store.download(input.path(), file)) {
                    if (chain.manifest(intent.version()).isPresent()) {
                        return;
                    }
                    throw new ExportConflictException(input.path() + " is missing");
                }
                if (!Sha256.of(file).equals(input.sha256())) {
                    throw new ExportConflictException(input.path() + " is not what its manifest says");
                }
                read(file, rows);
                Files.delete(file);
            }
            var files = new RowFiles(store, scratch, settings.fileBytes());
            RowFiles.Written written = files.write(intent, rows::sorted, isCurrent);
            long expected = intent.inputs().stream().mapToLong(FileEntry::rows).sum();
            if (written.rows() != expected) {
                throw new ExportConflictException(intent.kind() + " " + intent.version() + " of shard " + intent.shard()
                        + ": expected " + expected + " rows, found " + written.rows());
            }
            if (!commit(intent, written.files(), "")) {
                removeOrphans(intent.version(), written.created());
            }
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
        commit(intent, List.of(), statement);
        for (FileEntry file : intent.inputs()) {
            store.delete(file.path());
        }
    }

    private boolean commit(Intent intent, List<FileEntry> added, String statement) throws IOException {
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
                added,
                intent.inputs(),
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
