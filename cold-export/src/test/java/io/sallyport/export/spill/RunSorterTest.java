package io.sallyport.export.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.core.Row;
import io.sallyport.export.work.TestShard;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunSorterTest {
    @TempDir
    Path folder;

    @Test
    void shouldSortMoreRunsThanItMergesAtOnce() throws IOException {
        for (int seed = 0; seed < 5; seed++) {
            var random = new Random(seed);
            Path scratch = folder.resolve("s" + seed);
            var rows = new ArrayList<Row>();
            try (var sorter = new RunSorter(scratch)) {
                for (int i = 0; i < 2_000; i++) {
                    Row row = row(random, i);
                    rows.add(row);
                    sorter.add(row);
                    if (random.nextInt(10) == 0) {
                        sorter.spill();
                        assertThat(sorter.bufferedBytes()).isZero();
                        assertThat(Files.list(scratch).count()).isLessThan(65);
                    }
                }
                rows.sort(Row.ORDER);
                assertThat(sorted(sorter)).as("seed %d", seed).isEqualTo(records(rows));
                // They can be given again: a store that failed is tried again.
                assertThat(sorted(sorter)).isEqualTo(records(rows));
            }
            assertThat(scratch).doesNotExist();
        }
    }

    private static Row row(Random random, int i) {
        var event = TestShard.event("c-" + random.nextInt(3), "s-" + random.nextInt(3), random.nextInt(100))
                .setEpoch(random.nextInt(3) - 1)
                .setIngestTsUs(random.nextInt(3) * 86_400_000_000L);
        event.getOriginBuilder().setPos(i);
        byte[] value = StructuredRecord.newBuilder().setEvent(event).build().toByteArray();
        return Row.parse(value).orElseThrow();
    }

    private static List<StructuredRecord> sorted(RunSorter sorter) throws IOException {
        var records = new ArrayList<StructuredRecord>();
        sorter.sorted(row -> records.add(row.record()));
        return records;
    }

    private static List<StructuredRecord> records(List<Row> rows) {
        return rows.stream().map(Row::record).toList();
    }
}
