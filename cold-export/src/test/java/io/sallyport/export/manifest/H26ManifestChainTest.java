package io.sallyport.export.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.core.Position;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.store.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A chain of five manifests with its published head: whatever is done to it shows, and where. */
class H26ManifestChainTest {
    private final MemoryStore store = new MemoryStore();
    private final ManifestChain chain = new ManifestChain(store, 3);
    private ManifestChain.Head published = ManifestChain.Head.NONE;

    @BeforeEach
    void five() throws IOException {
        for (int version = 0; version < 5; version++) {
            ManifestChain.Head head = chain.load().head();
            var intent = new Intent(
                    ManifestKind.EXPORT,
                    "c",
                    3,
                    version,
                    head.sha256(),
                    version,
                    head.position(),
                    new Position(version + 1, version + 1, List.of(new Position.Tree(0, version + 1, version + 1))),
                    List.of(),
                    "");
            assertThat(chain.claim(intent)).isTrue();
            assertThat(chain.commit(new Manifest(
                            ManifestKind.EXPORT,
                            "c",
                            3,
                            version,
                            head.sha256(),
                            Sha256.of(ManifestJson.encode(intent)),
                            version,
                            List.of(),
                            0,
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(),
                            Manifest.ProofFile.NONE,
                            intent.to(),
                            "")))
                    .isTrue();
        }
        published = chain.load().head();
    }

    private static String key(int version) {
        return "_manifests/shard=00003/%020d.manifest.json".formatted(version);
    }

    private Optional<String> fault() throws IOException {
        return ChainReader.read(chain, published.version(), published.sha256(), (manifest, sha256) -> {});
    }

    @Test
    void shouldAcceptTheWhole() throws IOException {
        assertThat(published.version()).isEqualTo(4);
        assertThat(fault()).isEmpty();
    }

    @Test
    void shouldMissTheLastTwo() throws IOException {
        store.delete(key(4));
        store.delete(key(3));
        assertThat(fault()).contains("expected 5 found 3");
    }

    @Test
    void shouldMissAll() throws IOException {
        for (int version = 0; version < 5; version++) {
            store.delete(key(version));
        }
        assertThat(fault()).contains("expected 5 found 0");
    }

    @Test
    void shouldMissTheThird() throws IOException {
        store.delete(key(2));
        assertThat(fault()).contains("missing 2");
    }

    @Test
    void shouldSeeTwoThatWereSwapped() throws IOException {
        byte[] second = store.read(key(1)).orElseThrow();
        byte[] third = store.read(key(2)).orElseThrow();
        store.delete(key(1));
        store.delete(key(2));
        store.create(key(1), third);
        store.create(key(2), second);
        assertThat(fault()).contains("order broken at 1");
    }

    @Test
    void shouldSeeAChangedByteInEachOfThem() throws IOException {
        for (int version = 0; version < 5; version++) {
            byte[] original = store.read(key(version)).orElseThrow();
            String changed =
                    new String(original, StandardCharsets.UTF_8).replace("\"at_us\":" + version, "\"at_us\":9");
            store.delete(key(version));
            store.create(key(version), changed.getBytes(StandardCharsets.UTF_8));
            assertThat(fault()).contains("mismatch at " + version);
            store.delete(key(version));
            store.create(key(version), original);
        }
        assertThat(fault()).isEmpty();
    }

    @Test
    void shouldSeeAnIntentThatWasChangedAfterwards() throws IOException {
        String intent = "_manifests/shard=00003/%020d.intent.json".formatted(1);
        store.delete(intent);
        store.create(intent, "{}".getBytes(StandardCharsets.UTF_8));
        assertThat(fault()).contains("the intent of 1 is another one");
    }

    @Test
    void shouldBindEveryHeadInOneHash() throws IOException {
        var heads = ManifestHeads.read(store, 8);
        assertThat(heads.text()).isEqualTo("shard 3 4 " + published.sha256() + "\n");
        assertThat(heads.root()).hasSize(32);
        store.delete(key(4));
        assertThat(ManifestHeads.read(store, 8).root()).isNotEqualTo(heads.root());
        assertThat(ManifestHeads.read(new MemoryStore(), 8).text()).isEmpty();
    }
}
