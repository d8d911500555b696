package io.sallyport.export.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.core.FileEntry;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.work.TestExport;
import io.sallyport.export.work.TestShard;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CustomerFilesTest {
    @TempDir
    private Path scratch;

    @Test
    void shouldListWhatAnErasureRemovesAndNothingAfterIt() throws Exception {
        var store = new MemoryStore();
        var export = new TestExport(scratch);
        var log = new TestShard(TestExport.SHARD);
        for (int version = 0; version < 2; version++) {
            log.add(TestShard.event("globex", "s-1", 2 * version + 1));
            log.add(TestShard.event("globex", "s-1", 2 * version + 2));
            log.add(TestShard.event("globex-2", "s-1", version + 1));
            log.close();
            export.run(store, log, 1_000);
        }
        store.create("structured/customer=globex/date=2026-11-30/left-behind.parquet", new byte[] {1});

        CustomerFiles found = CustomerFiles.read(store, "globex");

        assertThat(found.files())
                .extracting(FileEntry::path)
                .containsExactlyElementsOf(store.list("structured/customer=globex/", "").stream()
                        .filter(path -> !path.contains("left-behind"))
                        .toList());
        assertThat(found.rows()).isEqualTo(4);
        assertThat(found.bytes())
                .isEqualTo(found.files().stream()
                        .mapToLong(file -> store.read(file.path()).orElseThrow().length)
                        .sum());
        assertThat(found.others()).containsExactly("structured/customer=globex/date=2026-11-30/left-behind.parquet");

        assertThat(export.erase(store, "globex")).isTrue();
        assertThat(CustomerFiles.read(store, "globex").files()).isEmpty();
        assertThat(CustomerFiles.read(store, "globex-2").rows()).isEqualTo(2);
        assertThat(CustomerFiles.read(store, "nobody"))
                .isEqualTo(new CustomerFiles("nobody", java.util.List.of(), java.util.List.of()));
    }
}
