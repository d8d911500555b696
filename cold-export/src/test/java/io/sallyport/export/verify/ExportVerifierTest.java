package io.sallyport.export.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.export.checkpoint.LogTrees;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.manifest.ManifestJson;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.verify.Verdict.Tampered;
import io.sallyport.export.work.TestExport;
import io.sallyport.export.work.TestShard;
import io.sallyport.proto.log.v1.ProofSegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportVerifierTest {
    private static final int SHARDS = 8;

    @TempDir
    private Path scratch;

    private final MemoryStore store = new MemoryStore();
    private final TestShard log = new TestShard(TestExport.SHARD);
    private final Random random = new Random(7);
    private TestExport export;
    private Checkpoint pinned;
    private Checkpoint newest;

    @BeforeEach
    void twoVersions() throws Exception {
        export = new TestExport(scratch);
        more(200);
        pinned = checkpoint();
        more(150);
        newest = checkpoint();
        assertThat(verify().exit()).as("%s", verify()).isZero();
    }

    private void more(int rows) throws Exception {
        log.addSome(random, rows);
        log.close();
        export.run(store, log, 1_000);
    }

    /** As the coordinator makes it. */
    private Checkpoint checkpoint() throws Exception {
        var trees = new LogTrees("test");
        for (TestShard.Stored stored : log.proof()) {
            trees.add(ProofSegment.parseFrom(stored.value()), 1).ifPresent(why -> {
                throw new IllegalStateException(why);
            });
        }
        ManifestHeads heads = ManifestHeads.read(store, SHARDS);
        store.create(ManifestHeads.key(heads.root()), heads.text().getBytes(StandardCharsets.UTF_8));
        return trees.checkpoint(Optional.of(new Hash(heads.root())));
    }

    private Verdict verify() throws Exception {
        return new ExportVerifier(store, scratch, "test", Optional.of(pin(pinned)), Optional.of(newest)).verify();
    }

    private static Pin pin(Checkpoint checkpoint) {
        return Ledger.pin(checkpoint);
    }

    private Tampered tampered() throws Exception {
        Verdict verdict = verify();
        assertThat(verdict).isInstanceOf(Tampered.class);
        return (Tampered) verdict;
    }

    private List<String> files() {
        return store.list("structured/", "");
    }

    private void replace(String key, byte[] content) {
        store.delete(key);
        store.create(key, content);
    }

    @Test
    void shouldFindAChangedByteAnywhereInAFile() throws Exception {
        String file = files().get(0);
        byte[] good = store.read(file).orElseThrow();
        // The footer with its statistics and the bloom filters stand at the end.
        for (int i = 0; i < 40; i++) {
            byte[] bad = good.clone();
            int at = i < 20 ? bad.length - 1 - i * 23 : random.nextInt(bad.length);
            bad[at] ^= 1;
            replace(file, bad);
            assertThat(tampered().why()).as("byte %d", at).isEqualTo("a file was changed: " + file);
        }
        replace(file, good);
        assertThat(verify().exit()).isZero();
    }

    @Test
    void shouldFindAFileThatIsGoneSwappedOrAdded() throws Exception {
        String first = files().get(0);
        String second = files().get(1);
        byte[] one = store.read(first).orElseThrow();
        byte[] two = store.read(second).orElseThrow();
        store.delete(first);
        assertThat(tampered().why()).isEqualTo("a file is missing: " + first);
        store.create(first, two);
        replace(second, one);
        assertThat(tampered().why()).startsWith("a file was changed");
        replace(first, one);
        replace(second, two);
        store.create(first.replace(".parquet", "-more.parquet"), one);
        assertThat(tampered().why()).startsWith("a file that no manifest names");
    }

    @Test
    void shouldFindManifestsThatWereCutChangedOrRemoved() throws Exception {
        List<String> manifests = store.list("_manifests/shard=00003/", "").stream()
                .filter(key -> key.endsWith(".manifest.json"))
                .toList();
        String last = manifests.get(manifests.size() - 1);
        byte[] good = store.read(last).orElseThrow();
        store.delete(last);
        assertThat(tampered().why()).isEqualTo("manifests: expected 2 found 1");
        replace(
                last,
                new String(good, StandardCharsets.UTF_8)
                        .replace("globex", "globey")
                        .getBytes(StandardCharsets.UTF_8));
        assertThat(tampered().why()).contains("manifests: version 1 is not the one that the checkpoint binds");
        replace(last, good);
        store.delete(manifests.get(0));
        assertThat(tampered().why()).contains("missing 0");
    }

    @Test
    void shouldFindHeadsAndSegmentsThatWereChanged() throws Exception {
        String segments = store.list("_proof/", "").get(0);
        byte[] good = store.read(segments).orElseThrow();
        byte[] bad = good.clone();
        bad[bad.length / 2] ^= 1;
        replace(segments, bad);
        assertThat(tampered().why()).startsWith("the file of segments was changed");
        replace(segments, good);
        store.delete(ManifestHeads.key(newest.manifests().orElseThrow().bytes()));
        assertThat(tampered().why()).contains("manifest heads");
    }

    @Test
    void shouldFindAnExportOfAnotherHistoryThatTheRightKeySigned() throws Exception {
        var fork = new ExportVerifierTest();
        fork.scratch = scratch;
        fork.export = new TestExport(scratch);
        fork.random.setSeed(99);
        fork.more(200);
        fork.more(150);
        fork.newest = fork.checkpoint();
        fork.pinned = pinned;
        assertThat(fork.verify().exit()).isEqualTo(1);
    }

    @Test
    void shouldReportWhatNoCheckpointCoversYet() throws Exception {
        more(30);
        assertThat(verify())
                .isInstanceOfSatisfying(
                        Verdict.Verified.class,
                        verified ->
                                assertThat(verified.shards().get(0).uncovered()).isEqualTo(30));
    }

    @Test
    void shouldAcceptACompactionAndAnErasureByStatement() throws Exception {
        export.maintain(store, TestExport.SHARD);
        assertThat(verify().exit()).as("%s", verify()).isZero();
        assertThat(export.erase(store, "globex")).isTrue();
        assertThat(files()).noneMatch(file -> file.contains("customer=globex"));
        // Nobody signed the statement yet: whoever can write to the store can write one.
        assertThat(verify().exit()).as("%s", verify()).isEqualTo(3);
        assertThat(verify().toString()).contains("taken away by the ERASURE in version 4");
        newest = checkpoint();
        assertThat(verify().exit()).as("%s", verify()).isZero();
        assertThat(verify().toString()).contains("rows were taken away by statements");
    }

    @Test
    void shouldNotExcuseMissingRowsByAStatementThatNobodySigned() throws Exception {
        assertThat(export.erase(store, "globex")).isTrue();
        assertThat(export.erase(store, "acme")).isTrue();
        assertThat(files()).isEmpty();
        assertThat(verify().exit()).isEqualTo(3);
    }

    @Test
    void shouldFindAnExportThatTakesFilesAway() throws Exception {
        more(20);
        List<FileEntry> taken = catalog().subList(0, 1);
        rewriteNewest(manifest -> withRemoved(manifest, taken));
        assertThat(tampered().why()).contains("EXPORT in version 2 took files away");
    }

    @Test
    void shouldFindAStatementThatTakesAwayWhatWasNeverThere() throws Exception {
        assertThat(export.erase(store, "globex")).isTrue();
        rewriteNewest(manifest -> withRemoved(
                manifest,
                manifest.removed().stream()
                        .map(file -> new FileEntry(
                                file.path(), file.customer(), file.date(), file.rows() + 1, file.size(), file.sha256()))
                        .toList()));
        assertThat(tampered().why()).contains("took away what was not there");
    }

    @Test
    void shouldFindOtherBytesUnderThePathOfAFileThatWasReplaced() throws Exception {
        String old = files().get(0);
        byte[] bytes = store.read(old).orElseThrow();
        byte[] other = store.read(files().get(1)).orElseThrow();
        export.maintain(store, TestExport.SHARD);
        newest = checkpoint();
        assertThat(files()).doesNotContain(old);
        store.create(old, other);
        assertThat(tampered().why()).contains("with other content: " + old);
        // As long as its deletion is due, it may lie there as it was.
        replace(old, bytes);
        assertThat(verify().exit()).as("%s", verify()).isZero();
        assertThat(verify().toString()).contains("1 files that a version took away wait for their deletion");
    }

    @Test
    void shouldNeedAnOpenIntentForAFileOfTheNextVersion() throws Exception {
        String file = files().get(0);
        String next = file.substring(0, file.lastIndexOf('/')) + "/s00003-v000000000002-9999.parquet";
        store.create(next, store.read(file).orElseThrow());
        Tampered found = tampered();
        assertThat(found.why()).isEqualTo("a file that no manifest names: " + next);
        assertThat(found.shard()).isEqualTo(3);
        assertThat(found.segment()).isNotNegative();
        assertThat(found.identity()).contains(" epoch 1 ");
        store.create("_manifests/shard=00003/00000000000000000002.intent.json", intent());
        assertThat(verify().exit()).as("%s", verify()).isZero();
        assertThat(verify().toString()).contains("1 files belong to versions that are not finished");
    }

    @Test
    void shouldFindRowsThatAreGoneFromAmongOthers() throws Exception {
        log.addSome(random, 50);
        log.close();
        List<TestShard.Stored> rows = log.structured();
        rows.remove(rows.size() - 20);
        export.run(store, log, 1_000);
        newest = checkpoint();
        Tampered found = tampered();
        assertThat(found.why()).contains("retention does not do that");
        assertThat(found.shard()).isEqualTo(3);
        assertThat(found.segment()).isNotNegative();
        assertThat(found.identity()).isEqualTo("the record at pos 380");
    }

    @Test
    void shouldTellWhatRetentionTookBeforeItWasExported() throws Exception {
        log.addSome(random, 50);
        log.close();
        log.structured().subList(0, 360).clear();
        export.run(store, log, 1_000);
        assertThat(verify().exit()).as("%s", verify()).isEqualTo(3);
        newest = checkpoint();
        assertThat(verify().exit()).as("%s", verify()).isZero();
        assertThat(verify().toString()).contains("10 rows were lost to retention before they were exported");
    }

    @Test
    void shouldNotVouchForAnExportThatDoesNotReachThePin() throws Exception {
        // The pin is of the log alone, and of another one, which goes on for longer.
        var other = new TestShard(TestExport.SHARD);
        other.addSome(new Random(99), 500);
        other.close();
        var trees = new LogTrees("test");
        for (TestShard.Stored stored : other.proof()) {
            trees.add(ProofSegment.parseFrom(stored.value()), 1);
        }
        pinned = trees.checkpoint(Optional.empty());
        for (int segments = log.proof().size(); segments <= other.proof().size(); segments++) {
            log.addSome(random, 1);
        }
        newest = checkpoint();
        Verdict verdict = verify();
        assertThat(verdict.exit()).as("%s", verdict).isEqualTo(3);
        assertThat(verdict.toString()).contains("does not come as far as the pin");
    }

    @Test
    void shouldVerifyAgainstThePinAlone() throws Exception {
        Verdict verdict =
                new ExportVerifier(store, scratch, "test", Optional.of(pin(pinned)), Optional.empty()).verify();
        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Verified.class,
                        verified ->
                                assertThat(verified.shards().get(0).uncovered()).isEqualTo(150));
        // Copies that were not kept up are no better.
        Checkpoint older = pinned;
        pinned = newest;
        newest = older;
        assertThat(verify().exit()).as("%s", verify()).isZero();
    }

    @Test
    void shouldFindWhatSomebodyDidToTheManifests() throws Exception {
        String newestKey = "_manifests/shard=00003/00000000000000000001.manifest.json";
        byte[] good = store.read(newestKey).orElseThrow();
        for (int at = 0; at < good.length; at += 7) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            replace(newestKey, bad);
            Tampered found = tampered();
            assertThat(found.why()).startsWith("manifests: ");
            assertThat(found.shard()).isEqualTo(3);
            assertThat(found.segment()).isNotNegative();
            assertThat(found.identity()).isEqualTo("the record at pos 200");
        }
        replace(newestKey, good);
        for (String stray : List.of(
                "_manifests/x.manifest.json",
                "_manifests/shard=00003/x.manifest.json",
                "_manifests/shard=00003/00000000000000000007.intent.json")) {
            store.create(stray, good);
            assertThat(tampered().why()).contains("that no exporter makes: " + stray);
            store.delete(stray);
        }
        String open = "_manifests/shard=00003/00000000000000000002.intent.json";
        byte[] intent = intent();
        for (int at = 0; at < intent.length; at++) {
            byte[] bad = intent.clone();
            bad[at] = '"';
            replace(open, bad);
            // Whatever cannot be read is found; what can is what somebody claims to do next.
            assertThat(verify().exit()).as("byte %d", at).isIn(0, 1);
        }
        byte[] bad = intent.clone();
        bad[2] ^= 1;
        replace(open, bad);
        assertThat(tampered().why()).contains("the intent of 2 cannot be read");
        replace(open, intent);
        assertThat(verify().exit()).isZero();
    }

    @Test
    void shouldFindAManifestBeyondTheCheckpointWithAnotherName() throws Exception {
        more(20);
        String key = "_manifests/shard=00003/00000000000000000002.manifest.json";
        String good = new String(store.read(key).orElseThrow(), StandardCharsets.UTF_8);
        for (String name :
                List.of("kind", "cell", "previous", "intent", "segments", "added", "proof", "path", "customer")) {
            replace(
                    key,
                    good.replaceFirst("\"" + name + "\"", "\"x" + name.substring(1) + "\"")
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(tampered().why()).as(name).contains("manifests: ");
        }
    }

    @Test
    void shouldVerifyWhileTheExporterIsAtWork() throws Exception {
        // Whoever looks at a file finds the shard moved on: it is compacted, and what it was goes at once.
        var busy = new BusyStore(store, () -> {
            more(20);
            export.maintain(store, TestExport.SHARD);
        });
        Verdict verdict =
                new ExportVerifier(busy, scratch, "test", Optional.of(pin(pinned)), Optional.of(newest)).verify();
        assertThat(busy.happened()).isTrue();
        assertThat(verdict.exit()).as("%s", verdict).isZero();
    }

    private byte[] intent() throws Exception {
        var chain = new ManifestChain(store, TestExport.SHARD);
        ManifestChain.Head head = chain.load().head();
        return ManifestJson.encode(new Intent(
                ManifestKind.EXPORT,
                "test",
                TestExport.SHARD,
                head.version() + 1,
                head.sha256(),
                17,
                head.position(),
                head.position(),
                List.of(),
                ""));
    }

    private List<FileEntry> catalog() throws Exception {
        return List.copyOf(TestExport.catalog(store, TestExport.SHARD).files());
    }

    private interface Change {
        Manifest of(Manifest manifest) throws Exception;
    }

    private void rewriteNewest(Change change) throws Exception {
        List<Manifest> chain = TestExport.chain(store, TestExport.SHARD);
        Manifest last = chain.get(chain.size() - 1);
        replace(
                "_manifests/shard=00003/%020d.manifest.json".formatted(last.version()),
                ManifestJson.encode(change.of(last)));
    }

    private static Manifest withRemoved(Manifest manifest, List<FileEntry> removed) {
        return new Manifest(
                manifest.kind(),
                manifest.cell(),
                manifest.shard(),
                manifest.version(),
                manifest.previous(),
                manifest.intent(),
                manifest.atUs(),
                manifest.segments(),
                manifest.rows(),
                manifest.missing(),
                manifest.added(),
                removed,
                manifest.proof(),
                manifest.position(),
                manifest.statement());
    }

    @Test
    void shouldSayThatNothingAnchorsIt() throws Exception {
        assertThat(new ExportVerifier(store, scratch, "test", Optional.empty(), Optional.empty())
                        .verify()
                        .exit())
                .isEqualTo(3);
    }
}
