package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.PosRange;
import io.sallyport.export.core.Position;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.verify.ExportVerifier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What somebody else writes to `structured` is not exported, and takes nobody's place; what was taken out of it is told. */
class ForeignRowsTest {
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

    private void rows(int count) {
        for (int i = 0; i < count; i++) {
            log.add(TestShard.event("acme", "s-1", ++seq));
        }
        log.close();
    }

    private void intrude(long generation, long pos) {
        log.intrude(TestShard.event("acme", "s-1", 99).setPayload(ByteString.copyFromUtf8("rogue")), generation, pos);
    }

    private void run() throws IOException {
        export.run(store, log, 1_000);
    }

    private double count(String name, String... tags) {
        return export.registry.counter(name, tags).count();
    }

    private Position position() throws IOException {
        return new ManifestChain(store, TestExport.SHARD).load().head().position();
    }

    private long end() {
        return log.structured().get(log.structured().size() - 1).offset() + 1;
    }

    private List<Manifest> chain() throws IOException {
        return TestExport.chain(store);
    }

    private ShardExport open() throws IOException {
        return new ShardExport(export.settings, store, TestExport.SHARD, export.metrics);
    }

    private static void feed(ShardExport shard, List<TestShard.Stored> rows, List<TestShard.Stored> segments)
            throws IOException {
        for (TestShard.Stored row : rows) {
            shard.row(row.offset(), 0, row.value());
        }
        for (TestShard.Stored segment : segments) {
            shard.segment(segment.offset(), segment.value());
        }
    }

    private void assertWhole(int foreign) throws IOException {
        TestExport.assertComplete(store, log, scratch);
        assertThat(chain()).allSatisfy(manifest -> {
            assertThat(manifest.missing()).isEmpty();
            assertThat(manifest.holes()).isEmpty();
        });
        assertThat(count("sallyport.export.rows.foreign")).isEqualTo(foreign);
    }

    @Test
    void shouldNotLetARowFarAheadTakeThePlaceOfAllThatCome() throws IOException {
        rows(5);
        intrude(0, 1_000_000_000);
        rows(5);
        run();
        assertWhole(1);
        assertThat(count("sallyport.alerts", "kind", "PROOF_MISMATCH")).isEqualTo(1);
        assertThat(position().structuredOffset())
                .as("reading does not begin at it again")
                .isEqualTo(end());

        intrude(0, 1_000_000_000);
        run();
        rows(3);
        run();
        assertWhole(2);
    }

    @Test
    void shouldTakeTheRowThatIsProvedWhoeverCameFirst() throws IOException {
        rows(5);
        intrude(0, 5);
        intrude(0, 6);
        rows(5);
        intrude(0, 9);
        intrude(0, 2);
        rows(1);
        run();
        assertWhole(4);
    }

    @Test
    void shouldTakeARowOnce() throws IOException {
        rows(3);
        log.add(TestShard.event("acme", "s-1", 50));
        log.repeat(3);
        rows(3);
        log.repeat(1);
        run();
        rows(1);
        log.repeat(1);
        run();
        assertWhole(3);
    }

    /** Reading begins again at the row that waits, and so at the record behind it. */
    @Test
    void shouldCountEachOnceHoweverOftenItIsRead() throws IOException {
        rows(3);
        log.add(TestShard.event("acme", "s-1", 50));
        intrude(0, 1);
        run();
        assertThat(position().structuredOffset()).isEqualTo(end() - 2);
        rows(1);
        run();
        assertWhole(1);
    }

    @Test
    void shouldSurviveThemWhereverTheyStand() throws IOException {
        for (int seed = 0; seed < 60; seed++) {
            var random = new Random(seed);
            var lake = new MemoryStore();
            var shard = new TestShard(TestExport.SHARD);
            var worker = new TestExport(scratch);
            for (int life = 0; life < 3; life++) {
                for (int i = 0; i < 8; i++) {
                    shard.addSome(random, random.nextInt(5));
                    if (random.nextInt(3) == 0) {
                        long pos = shard.records().size() + random.nextInt(30) - 15;
                        shard.intrude(TestShard.event("acme", "s-1", 99), 0, Math.max(0, pos));
                    }
                }
                worker.run(lake, shard, 1 + random.nextInt(20));
                TestExport.assertComplete(lake, shard, scratch);
            }
        }
    }

    /** No segment of it ever comes, and no later row of it either. */
    @Test
    void shouldNotWaitForAGenerationThatWasNeverBegun() throws IOException {
        rows(5);
        intrude(7, 0);
        try (var shard = open()) {
            feed(shard, log.structured(), log.proof());
            assertThat(shard.hasStrangers()).isTrue();
            long read = shard.readTo();
            rows(2);
            feed(shard, log.structured().subList(6, 8), log.proof().subList(1, 2));
            intrude(7, 1);
            feed(shard, log.structured().subList(8, 9), List.of());
            shard.disown(read);
            assertThat(shard.finish(1)).isPresent();
        }
        assertThat(position().structuredOffset())
                .as("what came after the look may be of one that was begun since")
                .isEqualTo(end() - 1);
        assertWhole(1);
    }

    @Test
    void shouldNotHoldTheReadingUpWhereManyAreFarAhead() throws IOException {
        rows(1);
        for (int i = 0; i < 100; i++) {
            intrude(0, 1_000_000_000 + i);
        }
        for (int i = 0; i < 40; i++) {
            rows(1);
        }
        try (var shard = open()) {
            feed(shard, log.structured().subList(1, 101), log.proof());
            assertThat(shard.awaitingRows())
                    .as("what is before them may be gone")
                    .isEqualTo(100);
            assertThat(shard.wantsBeginning()).isTrue();
            shard.beginsAt(0);
            assertThat(shard.awaitingRows()).isZero();
            assertThat(shard.strayRows()).isEqualTo(100);
            assertThat(shard.uncoveredSegments()).isEqualTo(41);
        }
        run();
        assertWhole(100);
    }

    @Test
    void shouldTellRowsThatWereTakenFromBetweenFromThoseThatRetentionTook() throws IOException {
        rows(6);
        rows(6);
        rows(6);
        log.trim(log.structured().get(2).offset());
        log.structured().remove(5);
        log.structured().remove(5);
        run();

        assertThat(chain()).singleElement().satisfies(manifest -> {
            assertThat(manifest.missing()).containsExactly(new PosRange(0, 0, 2));
            assertThat(manifest.holes()).containsExactly(new PosRange(0, 7, 9));
        });
        assertThat(count("sallyport.export.rows.missing")).isEqualTo(2);
        assertThat(count("sallyport.export.rows.holes")).isEqualTo(2);
        assertThat(count("sallyport.alerts", "kind", "EXPORT_OVERRUN")).isEqualTo(1);
        assertThat(count("sallyport.alerts", "kind", "EXPORT_HOLE")).isEqualTo(1);
        assertThat(TestExport.rows(store, scratch)).hasSize(14);
        assertThat(new ExportVerifier(store, scratch, "test", Optional.empty(), Optional.empty())
                        .verify()
                        .exit())
                .isEqualTo(1);
    }

    /** A hole at the beginning of a range is no work of retention either, if the log begins before it. */
    @Test
    void shouldTellThemAtTheBeginningOfARangeToo() throws IOException {
        rows(6);
        run();
        rows(6);
        log.structured().remove(6);
        run();
        assertThat(chain().get(1).missing()).isEmpty();
        assertThat(chain().get(1).holes()).containsExactly(new PosRange(0, 6, 7));
    }

    @Test
    void shouldEndARangeWhereRetentionOvertakesIt() throws IOException {
        rows(6);
        rows(6);
        rows(6);
        try (var shard = open()) {
            feed(shard, log.structured().subList(0, 8), List.of());
            log.trim(log.structured().get(14).offset());
            feed(shard, log.structured(), log.proof());
            assertThat(shard.wantsBeginning()).isTrue();
            shard.beginsAt(log.beginning());
            assertThat(shard.isDue(0, false, false)).isTrue();
            assertThat(shard.finish(1)).isPresent();
            assertThat(shard.position().tree(0).nextPos()).isEqualTo(6);
        }
        run();
        assertThat(chain()).extracting(Manifest::missing).containsExactly(List.of(), List.of(new PosRange(0, 6, 14)));
        assertThat(chain()).allSatisfy(manifest -> assertThat(manifest.holes()).isEmpty());
    }

    @Test
    void shouldReadAgainWhereRetentionLeavesNothingToCut() throws IOException {
        rows(6);
        try (var shard = open()) {
            feed(shard, log.structured().subList(0, 2), List.of());
            log.trim(log.structured().get(4).offset());
            feed(shard, log.structured(), log.proof());
            shard.rowsEnded();
            assertThatThrownBy(() -> shard.beginsAt(log.beginning()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("overtook");
        }
        run();
        assertThat(chain().get(0).missing()).containsExactly(new PosRange(0, 0, 4));
    }

    /** An export that begins in the middle of the log, with months of segments before it. */
    @Test
    void shouldNotHoldAllSegmentsBeforeTheFirstRow() throws IOException {
        for (int i = 0; i < 200; i++) {
            rows(1);
        }
        rows(20);
        log.trim(log.structured().get(200).offset());
        try (var shard = open()) {
            feed(shard, log.structured(), log.proof().subList(0, 100));
            assertThat(shard.wantsBeginning()).isTrue();
            shard.beginsAt(log.beginning());
            assertThat(shard.uncoveredSegments()).isLessThanOrEqualTo(32);
            feed(shard, List.of(), log.proof().subList(100, 201));
            assertThat(shard.uncoveredSegments()).isZero();
            assertThat(shard.finish(1).orElseThrow().missing()).containsExactly(new PosRange(0, 0, 200));
        }
        assertThat(TestExport.rows(store, scratch)).hasSize(20);
    }
}
