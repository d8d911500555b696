package io.sallyport.export.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.work.TestExport;
import io.sallyport.export.work.TestShard;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestHeadWatchTest {
    private static final int SHARDS = 8;

    @TempDir
    private Path scratch;

    private final MemoryStore store = new MemoryStore();
    private final TestShard log = new TestShard(TestExport.SHARD);
    private final Random random = new Random(3);
    private Optional<Hash> signed = Optional.empty();

    @BeforeEach
    void aVersionThatWasSigned() throws Exception {
        export();
        signed = new ManifestHeadWatch(store, SHARDS).after(Optional.empty()).head();
        assertThat(signed).isPresent();
    }

    private void export() throws Exception {
        log.addSome(random, 20);
        new TestExport(scratch).run(store, log, 1_000);
    }

    private Hash now() throws IOException {
        return new Hash(ManifestHeads.read(store, SHARDS).root());
    }

    @Test
    void shouldGoOnFromWhatWasSigned() throws Exception {
        export();
        var next = new ManifestHeadWatch(store, SHARDS).after(signed);
        assertThat(next.fault()).isEmpty();
        assertThat(next.head()).contains(now()).isNotEqualTo(signed);
    }

    @Test
    void shouldSignTheSameAgainWhileTheStoreIsAway() {
        var away = new AtomicBoolean(true);
        var watch = new ManifestHeadWatch(mayBeAway(away), SHARDS);
        assertThat(watch.after(signed).head()).isEqualTo(signed);
        assertThat(watch.after(signed).fault()).isEmpty();
    }

    @Test
    void shouldNotSignAChainThatWasWrittenAgain() throws Exception {
        export();
        rewrite(0);
        assertThat(new ManifestHeadWatch(store, SHARDS).after(signed).fault())
                .contains("manifest 0 of shard 3 is not the one that the last checkpoint binds");
    }

    @Test
    void shouldNotSignAVersionThatDoesNotFollow() throws Exception {
        export();
        export();
        rewrite(1);
        assertThat(new ManifestHeadWatch(store, SHARDS).after(signed).fault())
                .contains("manifest 2 of shard 3 does not follow the one that was signed");
    }

    @Test
    void shouldNotSignWithoutTheHeadsThatWereSigned() {
        store.delete(ManifestHeads.key(signed.orElseThrow().bytes()));
        assertThat(new ManifestHeadWatch(store, SHARDS).after(signed).fault().orElseThrow())
                .contains("missing or changed");
    }

    @Test
    void shouldNotForgetManifestsThatAreGone() {
        store.list("_manifests/shard=00003/", "").forEach(store::delete);
        assertThat(new ManifestHeadWatch(store, SHARDS).after(signed).fault()).isPresent();
    }

    private void rewrite(long version) throws IOException {
        String key = ManifestChain.folder(TestExport.SHARD) + "%020d.manifest.json".formatted(version);
        String text = new String(store.read(key).orElseThrow(), StandardCharsets.UTF_8);
        store.delete(key);
        store.create(key, text.replace("acme", "acne").getBytes(StandardCharsets.UTF_8));
    }

    private ObjectStore mayBeAway(AtomicBoolean away) {
        return (ObjectStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ObjectStore.class}, (proxy, method, arguments) -> {
                    if (away.get()) {
                        throw new IOException("away");
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
