package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Takeovers, expiry and erasure have one outcome, whoever dies or works twice, and wherever. */
class MaintenanceFaultsTest {
    private static final long LATER = TestShard.NOW_US + 3 * 86_400_000_000L;

    @TempDir
    Path scratch;

    /** Does something to a shard's files; what it does not get done, the next one does. */
    private interface Work {
        void on(ObjectStore store) throws IOException;
    }

    private interface Outcome {
        void check(MemoryStore store, TestShard log) throws IOException;
    }

    /** Current rows of two generations that are not yet where they belong, in several files. */
    private TestShard replaced(MemoryStore store) throws IOException {
        var export = new TestExport(scratch);
        var first = new TestShard(TestExport.SHARD);
        events(first, 1, 21, "wrong");
        export.run(store, first, 1_000);
        TestShard second = first.generation(1, 1);
        events(second, 8, 21, "right");
        export.run(store, first, 1_000);
        second.takeOver();
        events(second, 22, 24, "right");
        export.run(store, first, 1_000);
        return first;
    }

    private static void events(TestShard log, long from, long to, String text) {
        for (long seq = from; seq <= to; seq++) {
            log.add(TestShard.event(seq % 2 == 0 ? "acme" : "globex", "s-1", seq)
                    .setPayload(ByteString.copyFromUtf8(text)));
        }
        log.close();
    }

    private void maintain(ObjectStore store, int retentionDays) throws IOException {
        Maintenance maintenance = new TestExport(scratch).maintenance(store, retentionDays);
        for (int i = 0; i < 12; i++) {
            maintenance.run(LATER + i);
        }
    }

    private void assertAtEveryStep(Work work, Outcome outcome) throws IOException {
        boolean met = true;
        for (int at = 0; met; at++) {
            met = crash(at, work, outcome);
        }
        met = true;
        for (int at = 0; met; at++) {
            met = overtake(at, work, outcome);
        }
    }

    private boolean crash(int at, Work work, Outcome outcome) throws IOException {
        var store = new MemoryStore();
        TestShard log = replaced(store);
        boolean crashed = false;
        try {
            work.on(new FaultyStore(store, step -> {
                if (step == at) {
                    throw new FaultyStore.Crash();
                }
            }));
        } catch (FaultyStore.Crash e) {
            crashed = true;
        }
        if (at % 2 == 0) {
            // The exporter may be the one who finds it open.
            new TestExport(scratch).run(store, log, 1_000);
        }
        work.on(store);
        outcome.check(store, log);
        return crashed;
    }

    private boolean overtake(int at, Work work, Outcome outcome) throws IOException {
        var store = new MemoryStore();
        TestShard log = replaced(store);
        boolean[] met = new boolean[1];
        work.on(new FaultyStore(store, step -> {
            if (step == at) {
                met[0] = true;
                work.on(store);
            }
        }));
        outcome.check(store, log);
        return met[0];
    }

    private static List<Manifest> of(MemoryStore store, ManifestKind kind) throws IOException {
        return TestExport.chain(store).stream()
                .filter(manifest -> manifest.kind() == kind)
                .toList();
    }

    /** Nothing lies there but what the shard holds. */
    private static void assertNoMore(MemoryStore store) throws IOException {
        var paths = new ArrayList<>(store.list("structured/", ""));
        paths.addAll(store.list("void/", ""));
        assertThat(paths)
                .containsExactlyInAnyOrderElementsOf(TestExport.catalog(store).files().stream()
                        .map(FileEntry::path)
                        .toList());
    }

    private List<String> rows(MemoryStore store, String root) throws IOException {
        return TestExport.files(store, TestExport.SHARD, scratch, root).stream()
                .filter(StructuredRecord::hasEvent)
                .map(row -> row.getEvent().getSeq() + " "
                        + row.getEvent().getPayload().toStringUtf8())
                .toList();
    }

    @Test
    void shouldFollowATakeoverOnce() throws IOException {
        assertAtEveryStep(store -> maintain(store, 36_500), (store, log) -> {
            assertThat(rows(store, "structured/"))
                    .hasSize(24)
                    .doesNotHaveDuplicates()
                    .contains("7 wrong", "8 right", "24 right");
            assertThat(rows(store, "void/")).hasSize(14).contains("8 wrong", "21 wrong");
            assertThat(TestExport.catalog(store).applied()).hasSize(1);
            assertNoMore(store);
        });
    }

    @Test
    void shouldExpireOnce() throws IOException {
        assertAtEveryStep(store -> maintain(store, 1), (store, log) -> {
            assertThat(TestExport.catalog(store).files()).isEmpty();
            assertThat(of(store, ManifestKind.TRIM))
                    .singleElement()
                    .satisfies(trim -> assertThat(trim.statement())
                            .isEqualTo("TRIM cell=test shard=3 version=%d before=2026-12-02 files=%d rows=39"
                                    .formatted(trim.version(), trim.removed().size())));
            assertNoMore(store);
        });
    }

    @Test
    void shouldEraseOnce() throws IOException {
        assertAtEveryStep(
                store -> {
                    Maintenance maintenance = new TestExport(scratch).maintenance(store, 36_500);
                    for (int tries = 0; !maintenance.erase("globex", LATER); tries++) {
                        assertThat(tries).isLessThan(3);
                    }
                },
                (store, log) -> {
                    assertThat(rows(store, ""))
                            .hasSize(19)
                            .allMatch(row -> Integer.parseInt(row.split(" ")[0]) % 2 == 0);
                    assertThat(of(store, ManifestKind.ERASURE))
                            .singleElement()
                            .satisfies(erasure -> assertThat(erasure.statement())
                                    .contains("customer=globex")
                                    .contains("rows=19"));
                    assertNoMore(store);
                });
    }
}
