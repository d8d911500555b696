package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.store.MemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that is missing or damaged costs itself, and holds nothing up. */
class DamagedFilesTest {
    private static final long LATER = TestShard.NOW_US + 3 * 86_400_000_000L;
    private static final byte[] OTHER = {1, 2, 3};

    @TempDir
    Path scratch;

    private final MemoryStore store = new MemoryStore();
    private final TestShard log = new TestShard(TestExport.SHARD);
    private TestExport export;
    private long seq;

    @BeforeEach
    void fourFilesOfTwoCustomers() throws IOException {
        export = new TestExport(scratch);
        rows();
        rows();
    }

    private void rows() throws IOException {
        for (String customer : List.of("acme", "globex")) {
            log.add(TestShard.event(customer, "s-1", ++seq));
        }
        log.close();
        export.run(store, log, 1_000);
    }

    private double alerts() {
        return export.registry
                .counter("sallyport.alerts", "kind", "EXPORT_DAMAGED")
                .count();
    }

    private void damage(String path, boolean missing) {
        store.delete(path);
        if (!missing) {
            store.create(path, OTHER);
        }
    }

    private List<Manifest> chain() throws IOException {
        return TestExport.chain(store);
    }

    private String fileOf(String customer) throws IOException {
        return store.list("structured/customer=" + customer + "/", "").get(0);
    }

    private static Manifest last(List<Manifest> chain) {
        return chain.get(chain.size() - 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCompactTheOthersAndGoOn(boolean missing) throws IOException {
        String damaged = fileOf("acme");
        damage(damaged, missing);
        Maintenance maintenance = export.maintenance(store, 90);
        for (int i = 0; i < 5; i++) {
            maintenance.run(LATER + i);
        }

        assertThat(chain())
                .filteredOn(manifest -> manifest.kind() == ManifestKind.COMPACTION)
                .singleElement()
                .satisfies(manifest -> assertThat(manifest.added())
                        .extracting(FileEntry::customer)
                        .containsExactly("globex"));
        assertThat(alerts()).as("once a day").isEqualTo(1);
        rows();
        assertThat(last(chain()).kind()).isEqualTo(ManifestKind.EXPORT);
        maintenance.run(LATER + 86_400_000_000L);
        assertThat(alerts()).as("the next day").isEqualTo(2);
    }

    /** As it may be claimed and then its worker dies. */
    private Intent claim(ManifestKind kind) throws IOException {
        var chain = new ManifestChain(store, TestExport.SHARD);
        ManifestChain.Head head = chain.load().head();
        List<FileEntry> inputs = TestExport.catalog(store).of("acme");
        var intent = new Intent(
                kind,
                "test",
                TestExport.SHARD,
                head.version() + 1,
                head.sha256(),
                LATER,
                head.position(),
                head.position(),
                inputs,
                inputs.get(0).date());
        assertThat(chain.claim(intent)).isTrue();
        return intent;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGiveUpACompactionThatWasClaimed(boolean missing) throws IOException {
        Intent intent = claim(ManifestKind.COMPACTION);
        String damaged = fileOf("acme");
        damage(damaged, missing);
        rows();

        Manifest given = chain().get((int) intent.version());
        assertThat(given.kind()).isEqualTo(ManifestKind.COMPACTION);
        assertThat(given.added()).isEmpty();
        assertThat(given.removed()).isEmpty();
        assertThat(given.statement())
                .startsWith("GIVEN UP cell=test shard=3 version=2: ")
                .contains(damaged);
        assertThat(alerts()).isEqualTo(1);
        assertThat(last(chain()).kind()).as("exporting goes on").isEqualTo(ManifestKind.EXPORT);
        assertThat(TestExport.catalog(store).files()).hasSize(6);
    }

    @Test
    void shouldGiveUpACompactionWhoseFileIsAnother() throws IOException {
        Intent intent = claim(ManifestKind.COMPACTION);
        String path = intent.file(true, "acme", intent.subject(), 0);
        store.create(path, OTHER);
        rows();

        assertThat(chain().get((int) intent.version()).statement()).contains("GIVEN UP");
        assertThat(last(chain()).kind()).isEqualTo(ManifestKind.EXPORT);
        export.maintenance(store, 90).run(LATER);
        assertThat(store.list("structured/customer=acme/", "")).as("nobody's").doesNotContain(path);
    }

    /** One that found nothing to move says that every row is in its place. */
    @Test
    void shouldNotTakeATakeoverThatWasGivenUpForFollowed() throws IOException {
        TestShard second = log.generation(1, 0);
        for (int i = 1; i <= 4; i++) {
            second.add(TestShard.event("acme", "s-1", i).setPayload(ByteString.copyFromUtf8("right")));
        }
        second.takeOver();
        second.close();
        export.run(store, log, 1_000);
        claim(ManifestKind.SUPERSEDE);
        String damaged = fileOf("acme");
        damage(damaged, true);
        Maintenance maintenance = export.maintenance(store, 90);
        for (int i = 0; i < 6; i++) {
            maintenance.run(LATER + i);
        }

        assertThat(chain())
                .anySatisfy(manifest -> assertThat(manifest.statement()).contains("GIVEN UP"));
        assertThat(TestExport.catalog(store).applied())
                .as("a file could not be looked at")
                .isEmpty();
        assertThat(TestExport.catalog(store).files())
                .filteredOn(file ->
                        file.path().startsWith("structured/") && !file.path().equals(damaged))
                .as("the others were moved")
                .allSatisfy(file -> assertThat(file.path()).doesNotContain("customer=globex"));
        // Its expiry ends it.
        maintenance = export.maintenance(store, 1);
        for (int i = 0; i < 6; i++) {
            maintenance.run(LATER + 10 + i);
        }
        assertThat(TestExport.catalog(store).applied()).hasSize(1);
    }
}
