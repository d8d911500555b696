package io.sallyport.export.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.work.TestExport;
import io.sallyport.export.work.TestShard;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowsBeyondTest {
    @TempDir
    private Path scratch;

    @Test
    void shouldCountTheRowsOfVersionsBehindTheHeads() throws Exception {
        var store = new MemoryStore();
        var log = new TestShard(TestExport.SHARD);
        var export = new TestExport(scratch);
        assertThat(RowsBeyond.count(store, Optional.empty())).isZero();
        log.add(TestShard.event("acme", "s-1", 1));
        log.add(TestShard.event("acme", "s-1", 2));
        log.close();
        export.run(store, log, 100);
        assertThat(RowsBeyond.count(store, Optional.empty())).isEqualTo(2);

        var heads = ManifestHeads.read(store, TestExport.SHARD + 1);
        assertThat(RowsBeyond.count(store, Optional.of(heads.root())))
                .as("the text of the heads is not there")
                .isEqualTo(2);
        store.create(ManifestHeads.key(heads.root()), heads.text().getBytes(StandardCharsets.UTF_8));
        assertThat(RowsBeyond.count(store, Optional.of(heads.root()))).isZero();

        for (int seq = 3; seq < 6; seq++) {
            log.add(TestShard.event("acme", "s-1", seq));
        }
        log.close();
        export.run(store, log, 100);
        export.maintain(store, TestExport.SHARD);
        assertThat(RowsBeyond.count(store, Optional.of(heads.root())))
                .as("a compaction brings no new ones")
                .isEqualTo(3);
    }
}
