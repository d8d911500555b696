package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.manifest.ManifestJson;
import io.sallyport.export.parquet.RowFileReader;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.store.Sha256;
import io.sallyport.export.verify.ExportVerifier;
import io.sallyport.export.verify.Verdict;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the files when a generation of the normalizer takes over. */
class SupersedeTest {
    @TempDir
    Path scratch;

    private final MemoryStore store = new MemoryStore();
    private final TestShard first = new TestShard(TestExport.SHARD);
    /** Derives the raw records 1 and later again: the first generation's rows from the eighth on. */
    private final TestShard second = first.generation(1, 1);

    private TestExport export;

    @BeforeEach
    void twentyOneRows() throws Exception {
        export = new TestExport(scratch);
        events(first, 1, 21, "wrong");
        run();
    }

    private static void events(TestShard log, long from, long to, String text) {
        for (long seq = from; seq <= to; seq++) {
            log.add(TestShard.event(seq % 2 == 0 ? "acme" : "globex", "s-1", seq)
                    .setPayload(com.google.protobuf.ByteString.copyFromUtf8(text)));
        }
        log.close();
    }

    private void run() throws Exception {
        export.run(store, first, 1_000);
    }

    @Test
    void shouldKeepRowsThatAreNotCurrentYetApart() throws Exception {
        events(second, 8, 14, "right");
        run();

        assertThat(seqs("structured/")).hasSize(21);
        assertThat(seqs("void/")).containsExactly(8L, 9L, 10L, 11L, 12L, 13L, 14L);
        assertThat(verify().exit()).as(() -> "" + verify()).isEqualTo(3);
        export.maintain(store, TestExport.SHARD);
        assertThat(seqs("structured/")).as("it may never take over").hasSize(21);
        assertThat(TestExport.chain(store)).hasSize(2);
    }

    @Test
    void shouldPutEveryRowWhereItBelongsAfterATakeover() throws Exception {
        events(second, 8, 21, "right");
        run();
        second.takeOver();
        events(second, 22, 30, "right");
        run();
        assertThat(verify().exit())
                .as(() -> "before it is followed: " + verify())
                .isEqualTo(3);

        export.maintain(store, TestExport.SHARD);

        List<StructuredRecord> current = rows("structured/");
        assertThat(current.stream().filter(StructuredRecord::hasGeneration)).hasSize(1);
        assertThat(current.stream()
                        .filter(StructuredRecord::hasEvent)
                        .map(row -> row.getEvent().getSeq()
                                + " "
                                + row.getEvent().getPayload().toStringUtf8()))
                .hasSize(30)
                .doesNotHaveDuplicates()
                .contains("7 wrong", "8 right", "21 right", "30 right");
        assertThat(seqs("void/")).hasSize(14);
        assertThat(verify().exit()).as(() -> "" + verify()).isEqualTo(3);
        List<Manifest> chain = TestExport.chain(store);
        assertThat(chain)
                .filteredOn(manifest -> manifest.kind() == ManifestKind.SUPERSEDE)
                .as("one that moves rows, and one that finds none to move")
                .hasSize(2);
        export.maintain(store, TestExport.SHARD);
        assertThat(TestExport.chain(store)).as("once").hasSameSizeAs(chain);
        assertThat(store.list("structured/", "").size()
                        + store.list("void/", "").size())
                .as("replaced files are gone")
                .isEqualTo(TestExport.catalog(store).files().size());
    }

    @Test
    void shouldMoveRowsInVersionsOfBoundedSize() throws Exception {
        for (int range = 0; range < 3; range++) {
            events(second, 8 + 5 * range, 12 + 5 * range, "right");
            run();
        }
        second.takeOver();
        second.close();
        run();
        int before = TestExport.chain(store).size();
        // No two files together.
        var maintenance = new TestExport(scratch, 1).maintenance(store, 36_500);
        long nowUs = TestShard.NOW_US + 1_000_000_000;

        assertThat(maintenance.run(nowUs)).isTrue();
        assertThat(TestExport.catalog(store).applied()).as("others still wait").isEmpty();
        assertThat(verify().exit()).as(() -> "half-way: " + verify()).isEqualTo(3);
        // The worker is another one from here on, and live export goes on in between.
        maintenance = new TestExport(scratch, 1).maintenance(store, 36_500);
        assertThat(maintenance.run(++nowUs)).isTrue();
        events(second, 23, 24, "right");
        run();
        while (maintenance.run(++nowUs)) {
            assertThat(verify().exit()).as(() -> "on the way: " + verify()).isEqualTo(3);
        }

        assertThat(verify().exit()).as(() -> "" + verify()).isEqualTo(3);
        assertThat(TestExport.catalog(store).applied()).hasSize(1);
        assertThat(seqs("structured/")).hasSize(24);
        assertThat(seqs("void/")).hasSize(14);
        List<Manifest> superseded = TestExport.chain(store).stream()
                .skip(before)
                .filter(manifest -> manifest.kind() == ManifestKind.SUPERSEDE)
                .toList();
        assertThat(superseded).hasSizeGreaterThan(4);
        assertThat(superseded)
                .allSatisfy(manifest -> assertThat(manifest.removed()).hasSizeLessThanOrEqualTo(1));
        assertThat(superseded.get(superseded.size() - 1).removed()).isEmpty();
    }

    @Test
    void shouldFindRowsThatLieAmongTheWrongOnes() throws Exception {
        events(second, 8, 21, "right");
        second.takeOver();
        second.close();
        run();
        // As if it had been followed, while the rows stayed where they were.
        var chain = new ManifestChain(store, TestExport.SHARD);
        ManifestChain.Head head = chain.load().head();
        var intent = new Intent(
                ManifestKind.SUPERSEDE,
                "test",
                TestExport.SHARD,
                head.version() + 1,
                head.sha256(),
                TestShard.NOW_US,
                head.position(),
                head.position(),
                List.of(),
                "1");
        assertThat(chain.claim(intent)).isTrue();
        chain.commit(new Manifest(
                ManifestKind.SUPERSEDE,
                "test",
                TestExport.SHARD,
                head.version() + 1,
                head.sha256(),
                Sha256.of(ManifestJson.encode(intent)),
                TestShard.NOW_US,
                List.of(),
                0,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Manifest.ProofFile.NONE,
                head.position(),
                ""));

        assertThat(verify())
                .isInstanceOfSatisfying(
                        Verdict.Tampered.class,
                        tampered -> assertThat(tampered.why()).contains("not current"));
    }

    private Verdict verify() {
        try {
            return new ExportVerifier(store, scratch, "test", Optional.empty(), Optional.empty()).verify();
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private TreeSet<Long> seqs(String root) throws Exception {
        var seqs = new TreeSet<Long>();
        for (StructuredRecord row : rows(root)) {
            if (row.hasEvent()) {
                assertThat(seqs.add(row.getEvent().getSeq())).as("once").isTrue();
            }
        }
        return seqs;
    }

    private List<StructuredRecord> rows(String root) throws Exception {
        var rows = new ArrayList<StructuredRecord>();
        for (FileEntry entry : TestExport.catalog(store).files()) {
            if (!entry.path().startsWith(root)) {
                continue;
            }
            Path file = Files.createTempFile(scratch, "read", ".parquet");
            assertThat(store.download(entry.path(), file)).isTrue();
            try (var reader = new RowFileReader(file)) {
                for (var row = reader.next(); row.isPresent(); row = reader.next()) {
                    rows.add(row.get());
                }
            }
            Files.delete(file);
        }
        return rows;
    }
}
