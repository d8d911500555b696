package io.sallyport.export.parquet;

import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.parquet.avro.AvroParquetReader;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.io.LocalInputFile;

/** Reads the records of a file back, in its order; it holds one row group. */
public final class RowFileReader implements AutoCloseable {
    private final ParquetReader<GenericRecord> reader;

    /** @param file on the local disk */
    public RowFileReader(Path file) throws IOException {
        reader = AvroParquetReader.<GenericRecord>builder(new LocalInputFile(file), new PlainParquetConfiguration())
                .withDataModel(GenericData.get())
                .withCodecFactory(new ZstdCodecs())
                .build();
    }

    /**
     * The next record; empty at the end.
     *
     * @throws IOException where the file is not one of the export, or is damaged
     */
    public Optional<StructuredRecord> next() throws IOException {
        try {
            GenericRecord row = reader.read();
            return row == null ? Optional.empty() : Optional.of(RowSchema.toRecord(row));
        } catch (RuntimeException e) {
            throw new IOException("not a readable file of rows", e);
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
