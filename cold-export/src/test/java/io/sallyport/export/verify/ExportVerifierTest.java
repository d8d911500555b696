package io.sallyport.export.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.export.checkpoint.LogTrees;
import io.sallyport.export.verify.Verdict.Tampered;
import io.sallyport.export.work.TestExport;
import io.sallyport.export.work.TestShard;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExportVerifierTest extends ExportUnderTest {
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
        log.trim(log.structured().get(360).offset());
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

    @Test
    void shouldSayThatNothingAnchorsIt() throws Exception {
        assertThat(new ExportVerifier(store, scratch, "test", Optional.empty(), Optional.empty())
                        .verify()
                        .exit())
                .isEqualTo(3);
    }
}
