package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Rotation;
import io.sallyport.export.store.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many files there are, how large they are, and what a worker holds while it makes them. */
class FileSizesTest {
    private static final long TARGET = 2 << 20;
    private static final long DAY_US = 86_400_000_000L;
    private static final int TENANTS = 100;

    @TempDir
    Path scratch;

    private final MemoryStore store = new MemoryStore();
    private final TestShard log = new TestShard(TestExport.SHARD);
    private final Random random = new Random(5);

    private TestExport export() {
        return new TestExport(new ExportSettings("test", scratch, new Rotation(1L << 30, 600_000), TARGET));
    }

    private ByteString bytes(int count) {
        var bytes = new byte[count];
        random.nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    private List<FileEntry> files() throws IOException {
        return List.copyOf(TestExport.catalog(store).files());
    }

    private static void assertNearTarget(List<FileEntry> files) {
        assertThat(files.subList(0, files.size() - 1))
                .allSatisfy(file -> assertThat(file.size()).isBetween(TARGET * 9 / 10, TARGET * 3 / 2));
        assertThat(files.get(files.size() - 1).size()).isLessThan(TARGET * 3 / 2);
    }

    @Test
    void shouldMakeFilesNearTheTarget() throws IOException {
        for (int i = 0; i < 640; i++) {
            log.add(TestShard.event("acme", "s-" + i % 7, i + 1).setPayload(bytes(32 << 10)));
        }
        log.close();
        export().run(store, log, Integer.MAX_VALUE);
        assertThat(files()).hasSizeBetween(8, 11);
        assertNearTarget(files());
    }

    @Test
    void shouldMakeThemOfSmallOnesToo() throws IOException {
        TestExport export = export();
        for (int rotation = 0; rotation < 32; rotation++) {
            for (int i = 0; i < 10; i++) {
                log.add(TestShard.event("acme", "s-" + i, rotation + 1).setPayload(bytes(32 << 10)));
            }
            log.close();
            export.run(store, log, Integer.MAX_VALUE);
        }
        assertThat(files())
                .hasSize(32)
                .allSatisfy(file -> assertThat(file.size()).isLessThan(TARGET / 4));

        export.maintain(store, TestExport.SHARD);

        assertThat(files()).hasSizeBetween(4, 6);
        assertNearTarget(files());
        TestExport.assertComplete(store, log, scratch);
    }

    /** A range makes one file of a customer and a date; a compaction one of all of them. */
    @Test
    void shouldNotFloodTheLakeWithSmallFiles() throws IOException {
        TestExport export = export();
        int rotations = 12;
        int seq = 0;
        for (int rotation = 0; rotation < rotations; rotation++) {
            for (int i = 0; i < 4 * TENANTS; i++) {
                // Every fourth row is late: around midnight both dates come in each range, alternating.
                long us = TestShard.NOW_US + (i % 4 == 0 ? 0 : DAY_US);
                log.add(TestShard.event("tenant-" + i / 4, "s-1", ++seq).setIngestTsUs(us));
            }
            log.close();
            export.run(store, log, Integer.MAX_VALUE);
            assertThat(files()).as("after rotation " + rotation).hasSize(2 * TENANTS * (rotation + 1));
        }

        export.maintain(store, TestExport.SHARD);

        assertThat(files()).hasSize(2 * TENANTS);
        assertThat(store.list("structured/", "")).as("the small ones are gone").hasSize(2 * TENANTS);
        assertThat(files().stream().mapToLong(FileEntry::rows).sum()).isEqualTo(4L * TENANTS * rotations);
        // Late rows of a date that was compacted cost one more each, until the next compaction.
        log.add(TestShard.event("tenant-7", "s-1", ++seq));
        log.close();
        export.run(store, log, Integer.MAX_VALUE);
        assertThat(files()).hasSize(2 * TENANTS + 1);
        export.maintain(store, TestExport.SHARD);
        assertThat(files()).hasSize(2 * TENANTS);
    }

    /** As ExportWorker does: above the bound the rows go to the disk. */
    @Test
    void shouldHoldNoMoreForAHundredTenantsThanForOne() throws IOException {
        long bound = 256 << 10;
        // Rows of one customer are being written at a time, however many there are.
        var watched = new FaultyStore(
                store,
                step -> assertThat(files(".parquet"))
                        .as("files that are being written")
                        .isLessThanOrEqualTo(1));
        try (var shard = new ShardExport(export().settings, watched, TestExport.SHARD, export().metrics)) {
            for (int i = 0; i < 60 * TENANTS; i++) {
                log.add(TestShard.event("tenant-" + i % TENANTS, "s-1", i + 1).setPayload(bytes(1 << 10)));
                TestShard.Stored row = log.structured().get(i);
                shard.row(row.offset(), 0, row.value());
                if (shard.bufferedBytes() > bound) {
                    shard.spill();
                    assertThat(shard.bufferedBytes()).isZero();
                }
                assertThat(shard.bufferedBytes()).isLessThanOrEqualTo(bound);
                assertThat(files("run-")).as("runs that are merged at once").isLessThan(64);
            }
            log.close();
            for (TestShard.Stored segment : log.proof()) {
                shard.segment(segment.offset(), segment.value());
            }
            shard.finish(TestShard.NOW_US);
        }
        assertThat(files()).hasSize(TENANTS);
        TestExport.assertComplete(store, log, scratch);
    }

    private long files(String part) throws IOException {
        try (Stream<Path> all = Files.walk(scratch)) {
            return all.filter(file -> file.getFileName().toString().contains(part))
                    .count();
        }
    }
}
