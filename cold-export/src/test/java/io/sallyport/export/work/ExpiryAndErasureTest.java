package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.core.PartitionPath;
import io.sallyport.export.manifest.CustomerFiles;
import io.sallyport.export.store.LocalStore;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files go, when, and that no others do. */
class ExpiryAndErasureTest {
    private static final long HOUR_US = 3_600_000_000L;
    private static final long LATER = TestShard.NOW_US + 48 * HOUR_US;

    @TempDir
    Path scratch;

    private final MemoryStore store = new MemoryStore();
    private final TestShard log = new TestShard(TestExport.SHARD);
    private TestExport export;
    private long seq;

    @BeforeEach
    void anExport() {
        export = new TestExport(scratch);
    }

    private void export(ObjectStore to, String... customers) throws IOException {
        for (String customer : customers) {
            log.add(TestShard.event(customer, "s-1", ++seq));
        }
        log.close();
        export.run(to, log, 1_000);
    }

    private Maintenance maintenance(ObjectStore of, int retentionDays, long deletionDelayUs) {
        return new Maintenance(
                export.settings,
                new Maintenance.Limits(retentionDays, 0, deletionDelayUs),
                of,
                TestExport.SHARD,
                export.metrics);
    }

    private static long us(Instant time) {
        return time.toEpochMilli() * 1_000;
    }

    @Test
    void shouldExpireADateWhenItsLastRowIsNinetyDaysOld() throws IOException {
        export(store, "acme");
        LocalDate date = LocalDate.parse(PartitionPath.date(TestShard.NOW_US));
        Instant ninetyDaysAfterItsEnd =
                date.plusDays(91).atStartOfDay(ZoneOffset.UTC).toInstant();
        Maintenance maintenance = maintenance(store, 90, 0);

        assertThat(maintenance.run(us(ninetyDaysAfterItsEnd) - 1)).isFalse();
        assertThat(store.list("structured/", "")).hasSize(1);
        assertThat(maintenance.run(us(ninetyDaysAfterItsEnd))).isTrue();
        assertThat(store.list("structured/", "")).isEmpty();
        List<Manifest> chain = TestExport.chain(store);
        assertThat(chain.get(chain.size() - 1).statement()).contains("before=" + date.plusDays(1) + " files=1 rows=1");
    }

    @Test
    void shouldEraseWhatIsNotCurrentToo() throws IOException {
        TestShard second = log.generation(1, 0);
        for (int i = 1; i <= 4; i++) {
            second.add(TestShard.event(i % 2 == 0 ? "acme" : "globex", "s-1", i));
        }
        second.close();
        export(store, "acme", "globex");
        store.create("void/customer=globex/date=2026-11-30/left-behind.parquet", new byte[] {1});
        assertThat(CustomerFiles.read(store, "globex").rows()).isEqualTo(3);
        assertThat(CustomerFiles.read(store, "globex").others())
                .containsExactly("void/customer=globex/date=2026-11-30/left-behind.parquet");

        assertThat(export.erase(store, "globex")).isTrue();

        assertThat(CustomerFiles.read(store, "globex").files()).isEmpty();
        assertThat(CustomerFiles.read(store, "acme").rows()).isEqualTo(3);
    }

    @Test
    void shouldStateAnErasureOnce() throws IOException {
        export(store, "acme", "globex");
        assertThat(export.erase(store, "globex")).isTrue();
        assertThat(export.erase(store, "globex")).isTrue();
        assertThat(export.erase(store, "nobody")).isTrue();
        assertThat(TestExport.chain(store))
                .filteredOn(manifest -> manifest.kind() == ManifestKind.ERASURE)
                .hasSize(1);
        export(store, "globex");
        assertThat(CustomerFiles.read(store, "globex").rows())
                .as("what comes afterwards")
                .isEqualTo(1);
        assertThat(export.erase(store, "globex")).isTrue();
        assertThat(CustomerFiles.read(store, "globex").rows()).isZero();
    }

    /** Readers of the files that a compaction replaced have an hour, unless there is a better reason to delete them. */
    @Test
    void shouldNotLetAnErasureWaitForTheDeletionOfACompaction() throws IOException {
        export(store, "acme", "globex");
        export(store, "acme", "globex");
        Maintenance maintenance = maintenance(store, 36_500, HOUR_US);
        assertThat(maintenance.run(LATER)).isTrue();
        assertThat(store.list("structured/customer=globex/", "")).hasSize(3);

        assertThat(maintenance.erase("globex", LATER + 1)).isTrue();

        assertThat(store.list("structured/customer=globex/", "")).isEmpty();
        assertThat(store.list("structured/customer=acme/", ""))
                .as("the others'")
                .hasSize(3);
        maintenance.run(LATER + HOUR_US + 1);
        assertThat(store.list("structured/customer=acme/", "")).hasSize(1);
    }

    @Test
    void shouldDeleteWhatIsDueBehindWhatIsNot() throws IOException {
        export(store, "acme", "globex");
        export(store, "acme", "globex");
        assertThat(maintenance(store, 36_500, HOUR_US).run(LATER)).isTrue();
        assertCrashes(
                () -> maintenance(crashingAtTheFirstDeletion(), 36_500, HOUR_US).erase("globex", LATER + 1));

        // The service goes on, and nobody asks again.
        maintenance(store, 36_500, HOUR_US).run(LATER + 2);

        assertThat(store.list("structured/customer=globex/", ""))
                .as("but what the compaction replaced")
                .hasSize(2);
        assertThat(TestExport.catalog(store).of("globex")).isEmpty();
    }

    @Test
    void shouldNotAnswerThatNothingIsLeftBeforeItIsDeleted() throws IOException {
        export(store, "acme", "globex");
        assertCrashes(
                () -> maintenance(crashingAtTheFirstDeletion(), 36_500, HOUR_US).erase("globex", LATER));
        assertThat(store.list("structured/customer=globex/", "")).hasSize(1);
        assertThat(maintenance(store, 36_500, HOUR_US).erase("globex", LATER + 1))
                .isTrue();
        assertThat(store.list("structured/customer=globex/", "")).isEmpty();
    }

    private ObjectStore crashingAtTheFirstDeletion() {
        return new FaultyStore(store, step -> {}) {
            @Override
            public void delete(String key) {
                throw new Crash();
            }
        };
    }

    private static void assertCrashes(org.assertj.core.api.ThrowableAssert.ThrowingCallable work) {
        org.assertj.core.api.Assertions.assertThatThrownBy(work).isInstanceOf(FaultyStore.Crash.class);
    }

    @Test
    void shouldListTheLakeOnceADayForAllShards() throws IOException {
        var lists = new ArrayList<String>();
        var counting = new FaultyStore(store, step -> {}) {
            @Override
            public List<String> list(String prefix, String after) throws IOException {
                lists.add(prefix);
                return super.list(prefix, after);
            }
        };
        export(store, "acme");
        var lake = new LakeListing(counting);
        var shards = new ArrayList<Maintenance>();
        for (int shard = 0; shard < 8; shard++) {
            shards.add(new Maintenance(
                    export.settings, new Maintenance.Limits(36_500, 0, 0), counting, lake, shard, export.metrics));
        }
        for (int day = 0; day < 3; day++) {
            for (int look = 0; look < 4; look++) {
                for (Maintenance maintenance : shards) {
                    maintenance.run(LATER + (24L * day + 5L * look) * HOUR_US);
                }
            }
        }
        assertThat(lists).filteredOn("structured/"::equals).hasSize(3);
    }

    /** H16: ids that are special in paths, in a real folder. */
    @Test
    void shouldTouchNobodyElsesFiles() throws IOException {
        List<String> ids = List.of(
                "../cust-b",
                "a/b",
                "/cust-b",
                "cust-b/",
                "a=b",
                ".",
                "..",
                "a%",
                "a b",
                "__HIVE_DEFAULT_PARTITION__",
                "cust-b",
                "cust-b2");
        Path root = scratch.resolve("lake");
        Files.createDirectories(root);
        Files.writeString(scratch.resolve("neighbour"), "stays");
        try (var lake = new LocalStore(root)) {
            export(lake, ids.toArray(String[]::new));
            assertThat(TestExport.catalog(lake).files())
                    .extracting(FileEntry::customer)
                    .containsExactlyInAnyOrderElementsOf(ids);
            var left = new ArrayList<>(ids);
            for (String erased : List.of("cust-b", "..", "../cust-b", "a%", "/cust-b")) {
                assertThat(export.erase(lake, erased)).isTrue();
                left.remove(erased);
                assertThat(lake.list(PartitionPath.ofCustomer(erased), "")).isEmpty();
                assertThat(lake.list("structured/", "").stream()
                                .map(PartitionPath::customerOf)
                                .flatMap(Optional::stream))
                        .as("after " + erased)
                        .containsExactlyInAnyOrderElementsOf(left);
            }
            assertThat(TestExport.rows(lake, scratch).stream()
                            .map(StructuredRecord::getEvent)
                            .map(event -> event.getCustomerId()))
                    .containsExactlyInAnyOrderElementsOf(left);
        }
        assertThat(scratch.resolve("neighbour")).hasContent("stays");
    }
}
