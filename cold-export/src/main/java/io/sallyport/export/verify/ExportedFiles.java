package io.sallyport.export.verify;

import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Position;
import io.sallyport.export.core.Row;
import io.sallyport.export.parquet.RowFileReader;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.store.Sha256;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the files that hold the rows of one shard. Of a file that is not what its manifest says the first bad row is looked
 * for; where no row of it can be read, the rows that no other file has tell which those are.
 */
final class ExportedFiles {
    private final ObjectStore store;
    private final Path scratch;
    private final int shard;
    private final ExportedTrees trees;
    private final LeafEncoder encoder;
    private final Set<Position.Taken> stated = new HashSet<>();
    private CurrentRecords current = new CurrentRecords();
    private boolean followed;
    /** The first finding that names no row yet. */
    private @Nullable Unnamed unnamed;

    private record Unnamed(String path, String why) {}

    ExportedFiles(ObjectStore store, Path scratch, int shard, ExportedTrees trees, TreeHash hash) {
        this.store = store;
        this.scratch = scratch;
        this.shard = shard;
        this.trees = trees;
        this.encoder = new LeafEncoder(hash);
    }

    /**
     * @param placed whether rows must lie where {@code standing} says
     * @param complete whether no statement took rows away, so that what no file has is missing
     */
    void verify(Collection<FileEntry> files, CurrentRecords standing, boolean placed, boolean complete)
            throws IOException, TamperedException {
        current = standing;
        followed = placed;
        for (FileEntry file : files) {
            verify(file);
        }
        if (unnamed != null) {
            throw named(unnamed, complete);
        }
    }

    /** Takeovers that rows state. */
    Set<Position.Taken> stated() {
        return stated;
    }

    private TamperedException named(Unnamed fault, boolean complete) {
        for (ExportedTrees.Tree tree : trees.all()) {
            long pos = tree.firstAbsent();
            if (complete && pos >= 0) {
                return tampered(tree.segmentOf(pos), ExportedTrees.record(pos), fault.why());
            }
        }
        return tampered(-1, fault.path(), fault.why());
    }

    private void verify(FileEntry file) throws IOException, TamperedException {
        Path local = scratch.resolve("verify-" + java.util.UUID.randomUUID() + ".parquet");
        try {
            if (!store.download(file.path(), local)) {
                later(file, "a file is missing: " + file.path());
            } else if (Files.size(local) != file.size() || !Sha256.of(local).equals(file.sha256())) {
                changed(local, file);
            } else {
                long rows = 0;
                try (var reader = new RowFileReader(local)) {
                    for (Optional<StructuredRecord> row = reader.next(); row.isPresent(); row = reader.next()) {
                        row(row.get(), file);
                        rows++;
                    }
                } catch (IOException | RuntimeException e) {
                    // The bytes are on the local disk and are those that the manifest names: it names no rows.
                    later(file, "a file cannot be read: " + file.path());
                    return;
                }
                if (rows != file.rows()) {
                    later(file, "expected " + file.rows() + " rows, found " + rows + ": " + file.path());
                }
            }
        } finally {
            Files.deleteIfExists(local);
        }
    }

    /** Never returns where a row of it can be read and is bad. */
    private void changed(Path local, FileEntry file) throws TamperedException {
        String why = "a file was changed: " + file.path();
        @Nullable StructuredRecord first = null;
        @Nullable StructuredRecord unsorted = null;
        Optional<Row> before = Optional.empty();
        long rows = 0;
        try (var reader = new RowFileReader(local)) {
            for (Optional<StructuredRecord> row = reader.next(); row.isPresent(); row = reader.next()) {
                try {
                    row(row.get(), file);
                } catch (TamperedException e) {
                    throw tampered(e.verdict().segment(), e.verdict().identity(), why);
                }
                Optional<Row> now = Row.parse(row.get().toByteArray());
                if (unsorted == null && before.isPresent() && Row.ORDER.compare(before.get(), now.orElseThrow()) > 0) {
                    unsorted = row.get();
                }
                before = now;
                first = first == null ? row.get() : first;
                rows++;
            }
        } catch (IOException | RuntimeException e) {
            // Rows behind the change cannot be read; they are those that will be missing.
            first = null;
        }
        if (first == null || rows < file.rows()) {
            later(file, why);
        } else {
            // All rows stand as they were: their order was changed, or what describes them.
            StructuredRecord bad = unsorted == null ? first : unsorted;
            throw tampered(segmentOf(bad), TreeVerifier.identity(bad), why);
        }
    }

    private void later(FileEntry file, String why) {
        if (unnamed == null) {
            unnamed = new Unnamed(file.path(), why);
        }
    }

    private long segmentOf(StructuredRecord record) {
        var origin = TreeVerifier.origin(record);
        return trees.tree(origin.getGeneration())
                .map(tree -> tree.segmentOf(origin.getPos()))
                .orElse(-1L);
    }

    private void row(StructuredRecord record, FileEntry file) throws TamperedException {
        var origin = TreeVerifier.origin(record);
        String identity = TreeVerifier.identity(record);
        Optional<ExportedTrees.Tree> generation = trees.tree(origin.getGeneration());
        long pos = origin.getPos();
        if (origin.getShard() != shard
                || generation.isEmpty()
                || !generation.get().has(pos)) {
            throw tampered(
                    generation.map(tree -> tree.log.size()).orElse(0L),
                    identity,
                    "a row that no exported segment covers");
        }
        ExportedTrees.Tree tree = generation.get();
        long segment = tree.segmentOf(pos);
        Optional<Row> read = Row.parse(record.toByteArray());
        if (read.filter(row ->
                        row.customerId().equals(file.customer()) && row.date().equals(file.date()))
                .isEmpty()) {
            throw tampered(segment, identity, "a row in the file of another customer or date");
        }
        if (followed && (current.of(origin) == CurrentRecords.Standing.CURRENT) == file.holdsVoid()) {
            throw tampered(
                    segment,
                    identity,
                    file.holdsVoid()
                            ? "a row that is current lies among those that are not"
                            : "a row of a generation that is not current here lies among those that are");
        }
        if (!Arrays.equals(encoder.leaf(record), tree.leaves.get((int) pos))) {
            throw tampered(segment, identity, "the row at pos " + pos + " was changed");
        }
        if (tree.met.get((int) pos)) {
            throw tampered(segment, identity, "the row at pos " + pos + " stands twice");
        }
        if (tree.lost.get((int) pos)) {
            throw tampered(segment, identity, "the row at pos " + pos + " is stated to be lost");
        }
        read.flatMap(Row::takeover).ifPresent(stated::add);
        tree.met.set((int) pos);
    }

    private TamperedException tampered(long segment, String identity, String why) {
        return new TamperedException(new Verdict.Tampered(shard, segment, identity, why));
    }
}
