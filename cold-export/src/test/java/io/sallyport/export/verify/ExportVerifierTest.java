package io.sallyport.export.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.export.checkpoint.LogTrees;
import io.sallyport.export.manifest.ManifestHeads;
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
        assertThat(verify().exit()).as("%s", verify()).isZero();
        assertThat(files()).noneMatch(file -> file.contains("customer=globex"));
    }

    @Test
    void shouldSayThatNothingAnchorsIt() throws Exception {
        assertThat(new ExportVerifier(store, scratch, "test", Optional.empty(), Optional.empty())
                        .verify()
                        .exit())
                .isEqualTo(3);
    }
}
