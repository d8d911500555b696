package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.core.PosRange;
import io.sallyport.export.store.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each row comes to the files once, whoever dies, sleeps or works twice, and wherever. */
class ShardExportTest {
    private static final int ROWS = 24;
    private static final int RANGE = 9;

    @TempDir
    Path folder;

    private static MemoryStore newStore() {
        return new MemoryStore();
    }

    private Path scratch() throws IOException {
        return Files.createDirectories(folder.resolve("scratch"));
    }

    private static TestShard log(int seed) {
        var log = new TestShard(TestExport.SHARD);
        log.addSome(new Random(seed), ROWS);
        return log;
    }

    @Test
    void shouldExportEachRowOnce() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            var store = newStore();
            var log = new TestShard(TestExport.SHARD);
            var random = new Random(seed);
            var export = new TestExport(scratch());
            for (int life = 0; life < 3; life++) {
                log.addSome(random, random.nextInt(40));
                export.run(store, log, 1 + random.nextInt(30));
                TestExport.assertComplete(store, log, scratch());
            }
        }
    }

    @Test
    void shouldSurviveACrashAtEveryStep() throws IOException {
        boolean crashed = true;
        for (int at = 0; crashed; at++) {
            var store = newStore();
            TestShard log = log(1);
            int crashAt = at;
            crashed = false;
            try {
                new TestExport(scratch())
                        .run(
                                new FaultyStore(store, step -> {
                                    if (step == crashAt) {
                                        throw new FaultyStore.Crash();
                                    }
                                }),
                                log,
                                RANGE);
            } catch (FaultyStore.Crash e) {
                crashed = true;
            }
            // The successor cuts its own ranges elsewhere, but finishes the open one as it is.
            log.addSome(new Random(at), 5);
            new TestExport(scratch()).run(store, log, RANGE + 4);
            TestExport.assertComplete(store, log, scratch());
        }
    }

    @Test
    void shouldGoOnWhereTheStoreFailsForAWhile() throws IOException {
        boolean failed = true;
        for (int at = 0; failed; at++) {
            var store = newStore();
            TestShard log = log(2);
            int failAt = at;
            var faulty = new FaultyStore(store, step -> {
                if (step == failAt) {
                    throw new IOException("out of reach");
                }
            });
            failed = false;
            var export = new TestExport(scratch());
            try {
                export.run(faulty, log, RANGE);
            } catch (IOException e) {
                failed = true;
                export.run(faulty, log, RANGE);
            }
            TestExport.assertComplete(store, log, scratch());
        }
    }

    @Test
    void shouldBearASecondWorkerAtEveryStep() throws IOException {
        boolean overtaken = true;
        for (int at = 0; overtaken; at++) {
            var store = newStore();
            TestShard log = log(3);
            int stopAt = at;
            boolean[] met = new boolean[1];
            // The first is stopped at a step; the second does everything, ends, and the first wakes up.
            var stopped = new FaultyStore(store, step -> {
                if (step == stopAt) {
                    met[0] = true;
                    new TestExport(scratch()).run(store, log, RANGE + 4);
                }
            });
            new TestExport(scratch()).run(stopped, log, RANGE);
            overtaken = met[0];
            TestExport.assertComplete(store, log, scratch());
        }
    }

    @Test
    void shouldLeaveNoFileBehindThatACompactionTookAway() throws IOException {
        boolean overtaken = true;
        for (int at = 0; overtaken; at++) {
            var store = newStore();
            TestShard log = log(4);
            int stopAt = at;
            boolean[] met = new boolean[1];
            var stopped = new FaultyStore(store, step -> {
                if (step == stopAt) {
                    met[0] = true;
                    var other = new TestExport(scratch());
                    other.run(store, log, RANGE);
                    long later = TestShard.NOW_US + 3 * 86_400_000_000L;
                    while (other.maintenance(store, 90).run(later)) {
                        later++;
                    }
                }
            });
            new TestExport(scratch()).run(stopped, log, RANGE);
            overtaken = met[0];
            TestExport.assertComplete(store, log, scratch());
        }
    }

    @Test
    void shouldSweepAwayFilesThatCameAgain() throws IOException {
        var store = newStore();
        TestShard log = log(14);
        var export = new TestExport(scratch());
        export.run(store, log, RANGE);
        List<String> made = store.list("structured/", "");
        Path again = folder.resolve("again");
        store.download(made.get(0), again);
        long later = TestShard.NOW_US + 3 * 86_400_000_000L;
        Maintenance maintenance = export.maintenance(store, 90);
        compact(maintenance, later);
        // A worker that was stopped long ago, and killed before it could look.
        store.create(made.get(0), again);
        store.create(made.get(0).replace("/s00003-", "/s00004-"), again);
        store.create(made.get(0).replaceAll("-v[0-9]{12}", "-v000000009999"), again);
        compact(maintenance, later + 86_400_000_000L);
        assertThat(store.list("structured/", ""))
                .as("only what a version of this shard made")
                .doesNotContain(made.get(0))
                .contains(made.get(0).replace("/s00003-", "/s00004-"))
                .contains(made.get(0).replaceAll("-v[0-9]{12}", "-v000000009999"));
    }

    @Test
    void shouldNameTheRowsThatRetentionTook() throws IOException {
        var store = newStore();
        TestShard log = log(5);
        var export = new TestExport(scratch());
        log.trim(log.structured().get(10).offset());
        export.run(store, log, 100);

        assertThat(TestExport.rows(store, scratch())).isEqualTo(log.records().subList(10, ROWS));
        assertThat(TestExport.chain(store).stream().flatMap(manifest -> manifest.missing().stream()))
                .containsExactly(new PosRange(0, 0, 10));
        // Their leaves are kept, so that what is there still verifies.
        assertThat(TestExport.leaves(store).get(0L)).hasSize(ROWS);
        assertThat(export.registry
                        .counter("sallyport.alerts", "kind", "EXPORT_OVERRUN")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void shouldNameThemWhereNothingIsLeft() throws IOException {
        var store = newStore();
        TestShard log = log(6);
        log.trim(Long.MAX_VALUE);
        new TestExport(scratch()).run(store, log, 100);

        assertThat(TestExport.rows(store, scratch())).isEmpty();
        assertThat(TestExport.chain(store)).singleElement().satisfies(manifest -> {
            assertThat(manifest.missing()).containsExactly(new PosRange(0, 0, ROWS));
            assertThat(manifest.added()).isEmpty();
        });
    }

    @Test
    void shouldExportTwoGenerationsOfOnePartition() throws IOException {
        var store = newStore();
        var blue = new TestShard(TestExport.SHARD);
        TestShard green = blue.generation(7);
        var random = new Random(7);
        for (int i = 0; i < 20; i++) {
            (random.nextBoolean() ? blue : green).add(TestShard.event("acme", "s-1", i + 1));
            if (random.nextInt(4) == 0) {
                blue.close();
            }
            if (random.nextInt(4) == 0) {
                green.close();
            }
        }
        blue.close();
        green.close();
        new TestExport(scratch()).run(store, blue, 4);

        var expected = new java.util.ArrayList<>(blue.records());
        expected.addAll(green.records());
        assertThat(TestExport.rows(store, scratch())).isEqualTo(expected);
        assertThat(TestExport.leaves(store).get(7L)).hasSameSizeAs(green.records());
    }

    @Test
    void shouldNotGuessWhereTheProofHasAHole() throws IOException {
        var store = newStore();
        TestShard log = log(8);
        log.proof().remove(1);
        assertThatThrownBy(() -> new TestExport(scratch()).run(store, log, 100))
                .isInstanceOf(ExportConflictException.class)
                .hasMessageContaining("expected segment 1");
    }

    @Test
    void shouldTellThatARowIsNotWhatWasProved() throws IOException {
        var store = newStore();
        TestShard log = log(9);
        TestShard other = new TestShard(TestExport.SHARD);
        IntStream.range(0, ROWS).forEach(i -> other.add(TestShard.event("acme", "s-1", i + 1)));
        log.structured()
                .set(
                        4,
                        new TestShard.Stored(
                                log.structured().get(4).offset(),
                                other.structured().get(4).value()));
        var export = new TestExport(scratch());
        export.run(store, log, 100);
        assertThat(export.registry
                        .counter("sallyport.alerts", "kind", "PROOF_MISMATCH")
                        .count())
                .isEqualTo(1);
        var others = new java.util.ArrayList<>(log.records());
        others.remove(4);
        assertThat(TestExport.rows(store, scratch())).isEqualTo(others);
        assertThat(last(TestExport.chain(store)).holes()).containsExactly(new PosRange(0, 4, 5));
    }

    @Test
    void shouldRefuseAFileOfOtherRowsUnderItsName() throws IOException {
        var store = newStore();
        TestShard log = log(10);
        assertThatThrownBy(() -> new TestExport(scratch())
                        .run(
                                new FaultyStore(store, step -> {
                                    if (step == 3) {
                                        throw new FaultyStore.Crash();
                                    }
                                }),
                                log,
                                100))
                .isInstanceOf(FaultyStore.Crash.class);
        List<String> made = store.list("structured/", "");
        assertThat(made).hasSize(1);
        // The same name with the rows of another log.
        var elsewhere = newStore();
        new TestExport(scratch()).run(elsewhere, log(11), 100);
        Path foreign = folder.resolve("foreign");
        elsewhere.download(elsewhere.list("structured/", "").get(0), foreign);
        store.delete(made.get(0));
        store.create(made.get(0), foreign);

        assertThatThrownBy(() -> new TestExport(scratch()).run(store, log, 100))
                .isInstanceOf(ExportConflictException.class)
                .hasMessageContaining("other rows");
    }

    @Test
    void shouldKeepEveryRowThroughCompactionTrimAndErasure() throws IOException {
        boolean crashed = true;
        for (int at = 0; crashed; at++) {
            var store = newStore();
            TestShard log = log(12);
            var export = new TestExport(scratch());
            export.run(store, log, 6);
            int before = store.list("structured/", "").size();
            int crashAt = at;
            crashed = false;
            long later = TestShard.NOW_US + 3 * 86_400_000_000L;
            try {
                compact(
                        export.maintenance(
                                new FaultyStore(store, step -> {
                                    if (step == crashAt) {
                                        throw new FaultyStore.Crash();
                                    }
                                }),
                                90),
                        later);
            } catch (FaultyStore.Crash e) {
                crashed = true;
            }
            // Whoever comes next: the exporter, or maintenance.
            if (at % 2 == 0) {
                export.run(store, log, 6);
            }
            compact(export.maintenance(store, 90), later);
            TestExport.assertComplete(store, log, scratch());
            assertThat(store.list("structured/", "")).hasSizeLessThan(before).hasSize(4);
        }
        var store = newStore();
        TestShard log = log(13);
        var export = new TestExport(scratch());
        export.run(store, log, 6);
        long later = TestShard.NOW_US + 3 * 86_400_000_000L;
        assertThat(export.maintenance(store, 90).erase("globex", later)).isTrue();
        assertThat(store.list("structured/customer=globex/", "")).isEmpty();
        assertThat(TestExport.rows(store, scratch()))
                .isEqualTo(log.records().stream()
                        .filter(row -> !(row.hasEvent()
                                        ? row.getEvent().getCustomerId()
                                        : row.getMarker().getCustomerId())
                                .equals("globex"))
                        .toList());
        assertThat(last(TestExport.chain(store)).statement())
                .startsWith("ERASED cell=test shard=3 version=")
                .contains("customer=globex");

        // NOW_US lies in the first day; a day later it is past a retention of one day.
        assertThat(export.maintenance(store, 1).run(later)).isTrue();
        assertThat(store.list("structured/", "")).isEmpty();
        Manifest trim = last(TestExport.chain(store));
        assertThat(trim.kind()).isEqualTo(ManifestKind.TRIM);
        assertThat(trim.statement()).contains("before=");
        assertThat(TestExport.leaves(store).get(0L)).hasSize(ROWS);
    }

    private static void compact(Maintenance maintenance, long nowUs) throws IOException {
        for (int i = 0; i < 10; i++) {
            maintenance.run(nowUs + i);
        }
    }

    private static Manifest last(List<Manifest> chain) {
        return chain.get(chain.size() - 1);
    }
}
