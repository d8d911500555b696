package io.sallyport.export.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.core.FileEntry;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.verify.Verdict.Tampered;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What somebody may do to the manifests of an export. */
class ExportManifestsTest extends ExportUnderTest {
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
}
