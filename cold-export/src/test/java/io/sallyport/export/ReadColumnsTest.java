package io.sallyport.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.export.store.LocalStore;
import io.sallyport.export.work.TestExport;
import io.sallyport.export.work.TestShard;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Iterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A query reads the columns that it names: the bytes of all others may be anything. */
class ReadColumnsTest {
    private static final int ROWS = 500;

    @TempDir
    Path folder;

    @Test
    void shouldReadTwoColumnsAndNoOther() throws Exception {
        Path root = folder.resolve("lake");
        var log = new TestShard(TestExport.SHARD);
        for (int i = 0; i < ROWS; i++) {
            log.add(TestShard.event("acme", "s-" + i % 9, i + 1));
        }
        log.close();
        try (var store = new LocalStore(root)) {
            new TestExport(Files.createDirectories(folder.resolve("scratch"))).run(store, log, ROWS);
        }
        try (var lake = new DuckDb(root)) {
            Iterator<String> chunks = lake.text(
                            "select file_name, coalesce(nullif(dictionary_page_offset, 0), data_page_offset),"
                                    + " total_compressed_size from meta where path_in_schema not in ('sensor_id', 'seq')")
                    .lines()
                    .iterator();
            int overwritten = 0;
            while (chunks.hasNext()) {
                try (var file = new RandomAccessFile(chunks.next(), "rw")) {
                    file.seek(Long.parseLong(chunks.next()));
                    var garbage = new byte[Integer.parseInt(chunks.next())];
                    java.util.Arrays.fill(garbage, (byte) 0xff);
                    file.write(garbage);
                    overwritten++;
                }
            }
            assertThat(overwritten).isGreaterThan(20);
        }
        try (var lake = new DuckDb(root)) {
            assertThat(lake.number("select count(distinct (sensor_id, seq)) from rows where customer = 'acme'"))
                    .isEqualTo(ROWS);
            assertThatThrownBy(() -> lake.number("select count(distinct (sensor_id, seq, payload)) from rows"))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> lake.number("select max(pos) from rows where pos % 2 = 0"))
                    .isInstanceOf(SQLException.class);
        }
    }
}
