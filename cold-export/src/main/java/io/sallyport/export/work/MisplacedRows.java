package io.sallyport.export.work;

import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Row;
import io.sallyport.export.parquet.RowFileReader;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Looks for rows that lie among the current ones and are not, or the other way round. */
final class MisplacedRows {
    private final ObjectStore store;
    private final Path scratch;

    MisplacedRows(ObjectStore store, Path scratch) {
        this.store = store;
        this.scratch = scratch;
    }

    /** @throws ExportConflictException where the file is missing or damaged */
    boolean anyIn(FileEntry file, CurrentRecords current) throws IOException {
        Files.createDirectories(scratch);
        Path local = Files.createTempFile(scratch, "look", ".parquet");
        try {
            Files.delete(local);
            Optional<String> fault = VersionFinisher.fetch(store, file, local);
            if (fault.isPresent()) {
                throw new ExportConflictException(fault.get());
            }
            try (var reader = new RowFileReader(local)) {
                for (Optional<StructuredRecord> record = reader.next(); record.isPresent(); record = reader.next()) {
                    Row row = Row.parse(record.get().toByteArray()).orElseThrow(() -> new IOException("not a row"));
                    boolean isCurrent = current.of(row.origin()) == CurrentRecords.Standing.CURRENT;
                    if (isCurrent == file.holdsVoid()) {
                        return true;
                    }
                }
                return false;
            }
        } finally {
            Files.deleteIfExists(local);
        }
    }
}
