package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.core.FileEntry;
import io.sallyport.export.store.MemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The last rows of a quiet shard, and rows around midnight, on a machine far from UTC. */
class H24QuietAndLateRowsTest {
    private final TimeZone before = TimeZone.getDefault();
    private final MemoryStore store = new MemoryStore();
    private final TestShard log = new TestShard(TestExport.SHARD);

    @TempDir
    Path scratch;

    @BeforeEach
    void farFromUtc() {
        TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Kiritimati"));
    }

    @AfterEach
    void back() {
        TimeZone.setDefault(before);
    }

    private static long us(String time) {
        return Instant.parse(time).toEpochMilli() * 1_000;
    }

    private ShardExport open(TestExport export) throws IOException {
        return new ShardExport(export.settings, store, TestExport.SHARD, export.metrics);
    }

    private void feed(ShardExport shard) throws IOException {
        for (var row : log.structured()) {
            var time =
                    log.records().get(log.structured().indexOf(row)).getEvent().getIngestTsUs();
            shard.row(row.offset(), time / 1_000, row.value());
        }
        for (var segment : log.proof()) {
            shard.segment(segment.offset(), segment.value());
        }
    }

    @Test
    void shouldNotLetTheLastRowsWaitForTheNext() throws IOException {
        for (int i = 0; i < 37; i++) {
            log.add(TestShard.event("acme", "s-1", i + 1).setIngestTsUs(us("2026-11-30T10:00:00Z") + i * 8_000_000L));
        }
        log.close();
        try (var shard = open(new TestExport(scratch))) {
            feed(shard);
            assertThat(shard.isDue(us("2026-11-30T10:09:59Z") / 1_000, true, false))
                    .isFalse();
            assertThat(shard.isDue(us("2026-11-30T10:10:00Z") / 1_000, true, false))
                    .isTrue();
            assertThat(store.list("", "")).as("nothing before it is complete").isEmpty();
            shard.finish(us("2026-11-30T10:10:00Z"));
            assertThat(shard.position().structuredOffset())
                    .isEqualTo(log.structured().get(36).offset() + 1);
        }
        TestExport.assertComplete(store, log, scratch);
        assertThat(TestExport.catalog(store).files()).singleElement().satisfies(file -> {
            assertThat(file.date()).isEqualTo("2026-11-30");
            assertThat(file.rows()).isEqualTo(37);
        });
    }

    @Test
    void shouldMakeOneFileOfEachDateHoweverTheyAlternate() throws IOException {
        for (int i = 0; i < 100; i++) {
            int at = 4 * i;
            log.add(TestShard.event("acme", "s-1", at + 1).setIngestTsUs(us("2026-11-30T23:59:58Z")));
            log.add(TestShard.event("acme", "s-1", at + 2).setIngestTsUs(us("2026-12-01T00:00:01Z")));
            log.add(TestShard.event("acme", "s-1", at + 3).setIngestTsUs(us("2026-11-30T23:59:59Z")));
            log.add(TestShard.event("acme", "s-1", at + 4).setIngestTsUs(us("2026-12-01T00:00:02Z")));
        }
        log.close();
        new TestExport(scratch).run(store, log, Integer.MAX_VALUE);
        TestExport.assertComplete(store, log, scratch);
        List<FileEntry> files = List.copyOf(TestExport.catalog(store).files());
        assertThat(files).extracting(FileEntry::date).containsExactly("2026-11-30", "2026-12-01");
        assertThat(files).extracting(FileEntry::rows).containsExactly(200L, 200L);
    }
}
