package io.sallyport.export.parquet;

import io.sallyport.export.core.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.parquet.avro.AvroParquetWriter;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.jspecify.annotations.Nullable;

/**
 * Writes sorted rows to one Parquet file after another: a new one where customer or date changes, and where one is as
 * large as it should be. Only one is open at a time, so memory does not grow with the number of tenants; an open file
 * costs a row group.
 */
public final class PartitionWriter implements AutoCloseable {
    private static final long ROW_GROUP_BYTES = 32L << 20;
    private static final int PAGE_BYTES = 1 << 20;
    /** Payloads may be 64 KiB each: looking after every hundredth row, as is the default, makes pages of many MB. */
    private static final int ROWS_BETWEEN_CHECKS = 16;

    private static final int BLOOM_FILTER_BYTES = 64 << 10;

    private final Path folder;
    private final long targetBytes;
    private final Finished finished;
    private @Nullable ParquetWriter<GenericRecord> writer;
    private Path file;
    private String customerId = "";
    private String date = "";
    private int part;
    private long rows;

    /** Takes a file that is complete; it is deleted afterwards. */
    public interface Finished {
        void accept(Path file, String customerId, String date, int part, long rows) throws IOException;
    }

    /**
     * @param folder for the file that is written
     * @param targetBytes size of a file where there is enough to write
     */
    public PartitionWriter(Path folder, long targetBytes, Finished finished) {
        this.folder = folder;
        this.file = folder;
        this.targetBytes = targetBytes;
        this.finished = finished;
    }

    /** @param row not before the last one by {@link Row#ORDER} */
    public void write(Row row) throws IOException {
        boolean same = row.customerId().equals(customerId) && row.date().equals(date);
        ParquetWriter<GenericRecord> current = writer;
        if (current != null && !same) {
            finish();
            current = null;
        } else if (current != null && rows % ROWS_BETWEEN_CHECKS == 0 && current.getDataSize() >= targetBytes) {
            finish();
            current = null;
        }
        if (current == null) {
            part = same ? part + 1 : 0;
            customerId = row.customerId();
            date = row.date();
            current = open();
        }
        current.write(RowSchema.toColumns(row.record()));
        rows++;
    }

    private ParquetWriter<GenericRecord> open() throws IOException {
        file = Files.createTempFile(folder, "rows", ".parquet");
        Files.delete(file);
        rows = 0;
        var opened = AvroParquetWriter.<GenericRecord>builder(new LocalOutputFile(file))
                .withSchema(RowSchema.ROW)
                .withDataModel(GenericData.get())
                .withConf(new PlainParquetConfiguration(Map.of("parquet.avro.write-old-list-structure", "false")))
                .withCodecFactory(new ZstdCodecs())
                .withCompressionCodec(CompressionCodecName.ZSTD)
                .withRowGroupSize(ROW_GROUP_BYTES)
                .withPageSize(PAGE_BYTES)
                .withMinRowCountForPageSizeCheck(ROWS_BETWEEN_CHECKS)
                .withDictionaryEncoding(true)
                // Opaque bytes repeat seldom, and their least and greatest tell nothing.
                .withDictionaryEncoding(RowSchema.PAYLOAD, false)
                .withStatisticsEnabled(RowSchema.PAYLOAD, false)
                // A column whose pages all have a dictionary gets no bloom filter.
                .withDictionaryEncoding(RowSchema.SENSOR_ID, false)
                .withBloomFilterEnabled(RowSchema.SENSOR_ID, true)
                .withAdaptiveBloomFilterEnabled(true)
                .withMaxBloomFilterBytes(BLOOM_FILTER_BYTES)
                .withExtraMetaData(Map.of("sallyport.layout", "1"))
                .build();
        writer = opened;
        return opened;
    }

    /** Ends the file that is open. */
    public void finish() throws IOException {
        ParquetWriter<GenericRecord> current = writer;
        if (current == null) {
            return;
        }
        writer = null;
        try {
            current.close();
            finished.accept(file, customerId, date, part, rows);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Gives up the file that is open. */
    @Override
    public void close() throws IOException {
        ParquetWriter<GenericRecord> current = writer;
        writer = null;
        if (current != null) {
            try {
                current.close();
            } finally {
                Files.deleteIfExists(file);
            }
        }
    }
}
