package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.core.FileEntry;
import io.sallyport.export.store.MemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever the sensor's clock says is kept, and decides nothing: the date is that of the ingest. */
class H15ExtremeTimesTest {
    @TempDir
    Path scratch;

    @Test
    void shouldKeepTheTimesAndTakeTheDateOfTheIngest() throws IOException {
        var store = new MemoryStore();
        var log = new TestShard(TestExport.SHARD);
        long now = TestShard.NOW_US;
        long[] times = {-1, 0, now, now + 315_360_000_000_000L, Long.MAX_VALUE, Long.MIN_VALUE, now, now, now, now};
        for (int i = 0; i < times.length; i++) {
            log.add(TestShard.event("acme", "s-1", i + 1).setEventTsUs(times[i]).setClockSkew(times[i] != now));
        }
        // A gateway's clock is trusted, but not with the names of folders.
        log.add(TestShard.event("acme", "s-1", 11).setIngestTsUs(Long.MAX_VALUE));
        log.add(TestShard.event("acme", "s-1", 12).setIngestTsUs(-5));
        log.close();
        new TestExport(scratch).run(store, log, 100);

        TestExport.assertComplete(store, log, scratch);
        assertThat(TestExport.catalog(store).files())
                .extracting(FileEntry::date)
                .containsExactly("1970-01-01", "2026-11-30", "2199-12-31");
    }
}
