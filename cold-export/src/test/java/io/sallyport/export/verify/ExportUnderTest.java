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
import org.junit.jupiter.api.io.TempDir;

/** An export of two versions: the first is pinned, the newest checkpoint covers both. */
abstract class ExportUnderTest {
    static final int SHARDS = 8;

    @TempDir
    Path scratch;

    final MemoryStore store = new MemoryStore();
    final TestShard log = new TestShard(TestExport.SHARD);
    final Random random = new Random(7);
    TestExport export;
    Checkpoint pinned;
    Checkpoint newest;

    @BeforeEach
    void twoVersions() throws Exception {
        export = new TestExport(scratch);
        more(200);
        pinned = checkpoint();
        more(150);
        newest = checkpoint();
        assertThat(verify().exit()).as("%s", verify()).isZero();
    }

    void more(int rows) throws Exception {
        log.addSome(random, rows);
        log.close();
        export.run(store, log, 1_000);
    }

    /** As the coordinator makes it. */
    Checkpoint checkpoint() throws Exception {
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

    Verdict verify() throws Exception {
        return new ExportVerifier(store, scratch, "test", Optional.of(pin(pinned)), Optional.of(newest)).verify();
    }

    static Pin pin(Checkpoint checkpoint) {
        return Ledger.pin(checkpoint);
    }

    Tampered tampered() throws Exception {
        Verdict verdict = verify();
        assertThat(verdict).isInstanceOf(Tampered.class);
        return (Tampered) verdict;
    }

    List<String> files() {
        return store.list("structured/", "");
    }

    void replace(String key, byte[] content) {
        store.delete(key);
        store.create(key, content);
    }

    byte[] intent() throws Exception {
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

    List<FileEntry> catalog() throws Exception {
        return List.copyOf(TestExport.catalog(store, TestExport.SHARD).files());
    }

    interface Change {
        Manifest of(Manifest manifest) throws Exception;
    }

    void rewriteNewest(Change change) throws Exception {
        List<Manifest> chain = TestExport.chain(store, TestExport.SHARD);
        Manifest last = chain.get(chain.size() - 1);
        replace(
                "_manifests/shard=00003/%020d.manifest.json".formatted(last.version()),
                ManifestJson.encode(change.of(last)));
    }

    static Manifest withRemoved(Manifest manifest, List<FileEntry> removed) {
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
                manifest.holes(),
                manifest.added(),
                removed,
                manifest.proof(),
                manifest.position(),
                manifest.statement());
    }
}
