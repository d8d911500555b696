package io.sallyport.export.work;

import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest.ProofFile;
import io.sallyport.export.core.Row;
import io.sallyport.export.parquet.PartitionWriter;
import io.sallyport.export.parquet.RowFileReader;
import io.sallyport.export.spill.RunSorter;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.store.Sha256;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Makes the files of an intent. A file that is there already came from another worker with the same intent; it is adopted
 * if it holds the same rows, even where another version of a library wrote other bytes.
 */
final class RowFiles {
    private final ObjectStore store;
    private final Path scratch;
    private final long fileBytes;

    /** Gives sorted rows. */
    interface Rows {
        void forEach(RunSorter.Sink sink) throws IOException;
    }

    /**
     * What was written.
     *
     * @param created paths that were not there before
     */
    record Written(List<FileEntry> files, List<String> created) {
        long rows() {
            return files.stream().mapToLong(FileEntry::rows).sum();
        }
    }

    RowFiles(ObjectStore store, Path scratch, long fileBytes) {
        this.store = store;
        this.scratch = scratch;
        this.fileBytes = fileBytes;
    }

    /** Rows that are current and rows that are not go to different files. */
    Written write(Intent intent, Rows rows, Predicate<Row> current) throws IOException {
        Files.createDirectories(scratch);
        var files = new ArrayList<FileEntry>();
        var created = new ArrayList<String>();
        write(intent, true, sink -> rows.forEach(row -> passIf(current.test(row), row, sink)), files, created);
        write(intent, false, sink -> rows.forEach(row -> passIf(!current.test(row), row, sink)), files, created);
        return new Written(files, created);
    }

    private static void passIf(boolean wanted, Row row, RunSorter.Sink sink) throws IOException {
        if (wanted) {
            sink.accept(row);
        }
    }

    private void write(Intent intent, boolean current, Rows rows, List<FileEntry> files, List<String> created)
            throws IOException {
        try (var writer = new PartitionWriter(scratch, fileBytes, (file, customer, date, part, count) -> {
            String path = intent.file(current, customer, date, part);
            if (store.create(path, file)) {
                created.add(path);
                files.add(new FileEntry(path, customer, date, count, Files.size(file), Sha256.of(file)));
            } else {
                files.add(adopt(new FileEntry(path, customer, date, count, Files.size(file), Sha256.of(file)), file));
            }
        })) {
            rows.forEach(writer::write);
            writer.finish();
        }
    }

    private FileEntry adopt(FileEntry made, Path file) throws IOException {
        Path there = Files.createTempFile(scratch, "there", ".parquet");
        try {
            if (!store.download(made.path(), there)) {
                throw new IOException(made.path() + " was there a moment ago");
            }
            String sha256 = Sha256.of(there);
            if (!sha256.equals(made.sha256()) && !sameRows(there, file)) {
                throw new ExportConflictException(made.path() + " holds other rows than its intent gives");
            }
            return new FileEntry(made.path(), made.customer(), made.date(), made.rows(), Files.size(there), sha256);
        } finally {
            Files.deleteIfExists(there);
        }
    }

    private static boolean sameRows(Path there, Path made) {
        try (var left = new RowFileReader(there);
                var right = new RowFileReader(made)) {
            while (true) {
                Optional<StructuredRecord> row = left.next();
                if (!row.equals(right.next())) {
                    return false;
                }
                if (row.isEmpty()) {
                    return true;
                }
            }
        } catch (IOException e) {
            // Both lie on the local disk, and one was just written: the other is no file of rows, or only a part of
            // one.
            return false;
        }
    }

    /** Writes the file of segments; other bytes under its name are a conflict, since its content has one form. */
    ProofFile proof(Intent intent, Path file) throws IOException {
        String path = intent.proofFile();
        var made = new ProofFile(path, Files.size(file), Sha256.of(file));
        if (!store.create(path, file)) {
            Path there = Files.createTempFile(scratch, "there", ".segments");
            try {
                if (!store.download(path, there) || !Sha256.of(there).equals(made.sha256())) {
                    throw new ExportConflictException(path + " holds other segments than its intent gives");
                }
            } finally {
                Files.deleteIfExists(there);
            }
        }
        return made;
    }
}
