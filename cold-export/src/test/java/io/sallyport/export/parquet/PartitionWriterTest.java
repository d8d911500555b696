package io.sallyport.export.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sallyport.export.core.Row;
import io.sallyport.export.work.TestShard;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionWriterTest {
    @TempDir
    Path folder;

    private final List<String> files = new ArrayList<>();
    private final List<StructuredRecord> read = new ArrayList<>();

    private void write(long fileBytes, List<StructuredRecord> records) throws IOException {
        try (var writer = new PartitionWriter(folder, fileBytes, (file, customer, date, part, rows) -> {
            files.add(customer + " " + date + " " + part + " " + rows);
            try (var reader = new RowFileReader(file)) {
                for (var row = reader.next(); row.isPresent(); row = reader.next()) {
                    read.add(row.get());
                }
            }
        })) {
            for (StructuredRecord record : records) {
                writer.write(Row.parse(record.toByteArray()).orElseThrow());
            }
            writer.finish();
        }
    }

    @Test
    void shouldKeepEveryFieldOfEventsAndMarkers() throws IOException {
        var all = new ArrayList<StructuredRecord>();
        Envelope.Builder event = TestShard.event("c", "s", Long.MAX_VALUE)
                .setEpoch(-1)
                .setEventType(-1)
                .setPayloadSchema(-1)
                .setEventTsUs(Long.MIN_VALUE)
                .setPayload(ByteString.copyFrom(new byte[] {0, -1, 7}))
                .setReplay(true)
                .setRenumbered(true)
                .setClockSkew(true);
        event.getOriginBuilder()
                .setShard(5)
                .setGeneration(-1)
                .setPos(Long.MAX_VALUE)
                .setRawPartition(6)
                .setRawOffset(Long.MAX_VALUE)
                .setRawIndex(-1);
        all.add(StructuredRecord.newBuilder().setEvent(event).build());
        CoverageMarker.Builder marker = TestShard.gap("c", "t", 1, 5)
                .setEpoch(-1)
                .setReasonValue(1_000)
                .setStageValue(77)
                .setDetail("détail")
                .addRanges(SeqRange.newBuilder().setFrom(9).setTo(Long.MAX_VALUE));
        marker.getOriginBuilder().setPos(3);
        all.add(StructuredRecord.newBuilder().setMarker(marker).build());
        all.add(StructuredRecord.newBuilder()
                .setMarker(TestShard.gap("c", "u", 1, 5)
                        .clearRanges()
                        .clearDetail()
                        .setOrigin(Origin.getDefaultInstance()))
                .build());
        write(1 << 20, all);
        assertThat(read).isEqualTo(all);
        assertThat(files).containsExactly("c 2026-11-30 0 3");
    }

    @Test
    void shouldBeginAFileWhereOneIsLargeEnough() throws IOException {
        var random = new Random(1);
        var all = new ArrayList<StructuredRecord>();
        for (int i = 0; i < 200; i++) {
            var payload = new byte[32 << 10];
            random.nextBytes(payload);
            all.add(StructuredRecord.newBuilder()
                    .setEvent(TestShard.event(i < 150 ? "a" : "b", "s", i)
                            .setPayload(ByteString.copyFrom(payload))
                            .setOrigin(Origin.newBuilder().setPos(i)))
                    .build());
        }
        write(2 << 20, all);
        assertThat(read).isEqualTo(all);
        assertThat(files)
                .hasSize(4)
                .allMatch(file -> file.startsWith("a 2026-11-30") || file.startsWith("b 2026-11-30"));
        assertThat(files.get(0)).startsWith("a 2026-11-30 0");
        assertThat(files.get(2)).startsWith("a 2026-11-30 2");
        assertThat(files.get(3)).startsWith("b 2026-11-30 0");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void shouldSayThatAFileIsDamaged() throws IOException {
        Path file = folder.resolve("x.parquet");
        Files.write(file, new byte[100]);
        assertThatThrownBy(() -> {
                    try (var reader = new RowFileReader(file)) {
                        reader.next();
                    }
                })
                .isInstanceOf(IOException.class);
    }
}
