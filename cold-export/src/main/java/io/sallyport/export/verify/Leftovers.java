package io.sallyport.export.verify;

import io.sallyport.export.core.Intent;
import io.sallyport.export.parquet.RowFileReader;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.store.Sha256;
import io.sallyport.export.verify.ExportShardVerifier.Removed;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Files among the rows that hold none of the export's: whoever reads the folder reads them too. Only two kinds may lie there:
 * what a version took away and is still to be deleted, unchanged, and what a version that is claimed and not finished makes.
 */
final class Leftovers {
    /**
     * How much longer than its removal an exporter that is at work may leave a file: it looks for those once a day, and remembers
     * what it is to delete for a week.
     */
    private static final long DUE_US = TimeUnit.DAYS.toMicros(8);

    private final ObjectStore store;
    private final Path scratch;
    private final Map<Integer, ExportShardVerifier> shards;
    private int waiting;
    private int unfinished;

    /** @param shards as they were verified, after the files were listed */
    Leftovers(ObjectStore store, Path scratch, Map<Integer, ExportShardVerifier> shards) {
        this.store = store;
        this.scratch = scratch;
        this.shards = shards;
    }

    /** @return what there is to know about them */
    List<String> check(List<String> files) throws IOException, TamperedException {
        for (String file : files) {
            if (shards.values().stream().noneMatch(shard -> shard.isLive(file))) {
                check(file);
            }
        }
        var notes = new ArrayList<String>();
        if (waiting > 0) {
            notes.add(waiting + " files that a version took away wait for their deletion");
        }
        if (unfinished > 0) {
            notes.add(unfinished + " files belong to versions that are not finished: nothing covers their rows yet");
        }
        return notes;
    }

    private void check(String file) throws IOException, TamperedException {
        for (Map.Entry<Integer, ExportShardVerifier> each : shards.entrySet()) {
            OptionalLong version = Intent.versionOf(each.getKey(), file);
            if (version.isEmpty()) {
                continue;
            }
            Optional<Removed> removed = each.getValue().removed(file);
            if (removed.isPresent()) {
                removed(file, removed.get(), each.getKey(), each.getValue());
                return;
            }
            if (version.equals(each.getValue().openVersion())) {
                unfinished++;
                return;
            }
            stranger(file, each.getKey(), "a file that no manifest names: " + file);
            return;
        }
        stranger(file, -1, "a file that no manifest names: " + file);
    }

    private void removed(String file, Removed removed, int shard, ExportShardVerifier verifier)
            throws IOException, TamperedException {
        Path local = scratch.resolve("verify-" + UUID.randomUUID() + ".parquet");
        try {
            if (!store.download(file, local)) {
                return;
            }
            if (!Sha256.of(local).equals(removed.file().sha256())) {
                stranger(file, shard, "a file that was taken away lies there with other content: " + file);
            } else if (verifier.headUs() - removed.by().atUs() > DUE_US) {
                stranger(
                        file,
                        shard,
                        "a file that version " + removed.by().version() + " took away lies there: " + file);
            } else {
                waiting++;
            }
        } finally {
            Files.deleteIfExists(local);
        }
    }

    /** Nothing happens where it is gone by now. */
    private void stranger(String file, int shard, String why) throws IOException, TamperedException {
        Path local = scratch.resolve("verify-" + UUID.randomUUID() + ".parquet");
        try {
            if (store.download(file, local)) {
                Optional<StructuredRecord> row = firstRow(local);
                throw new TamperedException(new Verdict.Tampered(
                        shard >= 0
                                ? shard
                                : row.map(found -> (long)
                                                TreeVerifier.origin(found).getShard())
                                        .orElse(-1L),
                        row.map(this::segmentOf).orElse(-1L),
                        row.map(TreeVerifier::identity).orElse(file),
                        why));
            }
        } finally {
            Files.deleteIfExists(local);
        }
    }

    private long segmentOf(StructuredRecord row) {
        var origin = TreeVerifier.origin(row);
        ExportShardVerifier shard = shards.get(origin.getShard());
        return shard == null ? -1 : shard.segmentOf(origin);
    }

    private static Optional<StructuredRecord> firstRow(Path local) {
        try (var reader = new RowFileReader(local)) {
            return reader.next();
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }
}
