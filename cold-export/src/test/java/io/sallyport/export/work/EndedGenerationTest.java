package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.PosRange;
import io.sallyport.export.core.Position;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.verify.ExportVerifier;
import io.sallyport.export.verify.Verdict;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.proto.log.v1.Takeover;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Generations that end with their last segment open, and takeovers whose own row is lost. */
class EndedGenerationTest {
    @TempDir
    Path scratch;

    private final MemoryStore store = new MemoryStore();
    private final TestShard first = new TestShard(TestExport.SHARD);
    /** Derives the raw records 1 and later again: the first generation's rows from the eighth on. */
    private final TestShard second = first.generation(1, 1);

    private TestExport export;

    @BeforeEach
    void anExport() {
        export = new TestExport(scratch);
    }

    private static void events(TestShard log, long from, long to, String text) {
        for (long seq = from; seq <= to; seq++) {
            log.add(TestShard.event("acme", "s-1", seq).setPayload(ByteString.copyFromUtf8(text)));
        }
    }

    private static KnownGenerations known(int live, Takeover... takeovers) {
        var generations = Generations.newBuilder()
                .setRevision(2)
                .setLive(live)
                .setHighest(1)
                .addAllTakeovers(List.of(takeovers));
        return KnownGenerations.parse(generations.build().toByteArray()).orElseThrow();
    }

    private void run() throws IOException {
        export.run(store, first, 1_000);
    }

    private Position position() throws IOException {
        return new ManifestChain(store, TestExport.SHARD).load().head().position();
    }

    private static long behind(TestShard log) {
        return log.structured().get(log.structured().size() - 1).offset() + 1;
    }

    private List<String> rows(String root) throws Exception {
        return TestExport.files(store, TestExport.SHARD, scratch, root).stream()
                .filter(StructuredRecord::hasEvent)
                .map(StructuredRecord::getEvent)
                .map(event -> event.getSeq() + " " + event.getPayload().toStringUtf8())
                .toList();
    }

    private Verdict verify() throws IOException {
        return new ExportVerifier(store, scratch, "test", Optional.empty(), Optional.empty()).verify();
    }

    private double count(String name, String... tags) {
        return export.registry.counter(name, tags).count();
    }

    @Test
    void shouldGetPastAGenerationThatWasGivenUpWithItsSegmentOpen() throws Exception {
        events(first, 1, 14, "live");
        first.close();
        events(second, 8, 10, "given up");
        second.close();
        events(second, 11, 14, "given up");
        events(first, 15, 21, "live");
        first.close();
        long last = behind(first);
        run();
        assertThat(position().structuredOffset()).as("it may still close it").isLessThan(last - 7);

        export.know(known(0));
        events(first, 22, 22, "live");
        first.close();
        run();

        assertThat(position().structuredOffset()).isEqualTo(behind(first));
        assertThat(rows("structured/")).hasSize(22);
        assertThat(rows("void/")).containsExactly("8 given up", "9 given up", "10 given up");
        assertThat(count("sallyport.export.rows.unproved")).isEqualTo(4);
        assertThat(count("sallyport.alerts", "kind", "EXPORT_UNPROVABLE")).isZero();
        assertThat(TestExport.chain(store))
                .allSatisfy(manifest -> assertThat(manifest.missing()).isEmpty());
        assertThat(verify().exit()).as(() -> "consistent").isEqualTo(3);
    }

    @Test
    void shouldGetPastWhatAReplacedGenerationDidNotProveOnceItIsVoid() throws Exception {
        events(first, 1, 7, "kept");
        first.close();
        events(first, 8, 14, "replaced");
        events(second, 8, 21, "right");
        Takeover takeover = second.takeOver(true);
        events(second, 22, 22, "right");
        second.close();

        export.know(known(1, takeover));
        run();
        export.maintain(store, TestExport.SHARD);

        assertThat(position().structuredOffset()).isEqualTo(behind(first));
        assertThat(rows("structured/")).hasSize(22).contains("7 kept", "8 right", "14 right");
        assertThat(count("sallyport.export.rows.unproved")).isEqualTo(7);
        assertThat(verify().exit()).isEqualTo(3);
    }

    /** It derived again what it had, and not all of it: before its fence the older generation's rows count. */
    @Test
    void shouldNeverLeaveOutARowThatIsCurrent() throws Exception {
        events(first, 1, 7, "kept");
        first.close();
        events(first, 8, 14, "kept");
        long unproved = first.structured().get(7).offset();
        events(second, 8, 21, "in part");
        Takeover takeover = second.takeOver(false);
        events(second, 22, 22, "right");
        second.close();

        export.know(known(1, takeover));
        run();
        run();

        assertThat(position().structuredOffset()).as("they wait").isEqualTo(unproved);
        assertThat(count("sallyport.export.rows.unproved")).isZero();
        assertThat(count("sallyport.alerts", "kind", "EXPORT_UNPROVABLE")).isPositive();

        first.close();
        run();
        export.maintain(store, TestExport.SHARD);

        assertThat(position().structuredOffset()).isEqualTo(behind(first));
        assertThat(rows("structured/"))
                .hasSize(15)
                .contains("14 kept", "22 right")
                .doesNotContain("8 in part");
        assertThat(rows("void/")).hasSize(14).contains("8 in part", "21 in part");
        assertThat(verify().exit()).isEqualTo(3);
    }

    @Test
    void shouldFollowATakeoverWhoseRowIsLost() throws Exception {
        events(first, 1, 21, "wrong");
        first.close();
        run();
        events(second, 8, 21, "right");
        Takeover takeover = second.takeOver(true);
        long lost = behind(first);
        // Raw records from behind the fence.
        events(second, 22, 35, "right");
        second.close();
        first.trim(lost);

        export.know(known(1, takeover));
        run();

        assertThat(TestExport.chain(store)).hasSize(2);
        Manifest after = TestExport.chain(store).get(1);
        assertThat(after.missing()).containsExactly(new PosRange(1, 0, 15));
        assertThat(rows("void/")).as("right at once").isEmpty();
        export.maintain(store, TestExport.SHARD);
        assertThat(rows("structured/")).hasSize(7 + 14).contains("7 wrong", "22 right");
        assertThat(rows("void/")).hasSize(14).contains("8 wrong", "21 wrong");
        assertThat(verify().exit()).isEqualTo(3);
    }

    @Test
    void shouldFollowATakeoverOfAShardInWhichNothingCameAfterwards() throws Exception {
        events(first, 1, 21, "wrong");
        first.close();
        run();
        events(second, 8, 21, "right");
        Takeover takeover = second.takeOver(true);
        second.close();
        first.trim(Long.MAX_VALUE);
        run();
        assertThat(position().takeovers()).as("no row tells of it").isEmpty();

        export.know(known(1, takeover));
        run();

        assertThat(position().takeovers()).containsExactly(new Position.Taken(1, 1, 3, 0));
        export.maintain(store, TestExport.SHARD);
        assertThat(rows("structured/")).hasSize(7);
        assertThat(rows("void/")).hasSize(14);
        assertThat(verify().exit()).isEqualTo(3);
        int versions = TestExport.chain(store).size();
        run();
        assertThat(TestExport.chain(store)).as("once").hasSize(versions);
    }

    @Test
    void shouldNotTakeATakeoverFromTheTopicBeforeItsRowThatWillCome() throws Exception {
        events(second, 8, 21, "right");
        second.close();
        Takeover takeover = second.takeOver(true);
        export.know(known(1, takeover));
        try (var shard = new ShardExport(export.settings, store, TestExport.SHARD, export.metrics)) {
            shard.know(known(1, takeover));
            for (var row : first.structured().subList(0, 14)) {
                shard.row(row.offset(), 0, row.value());
            }
            shard.segment(first.proof().get(0).offset(), first.proof().get(0).value());
            assertThat(shard.finish(1)).isPresent();
        }
        assertThat(position().takeovers())
                .as("a verifier would not find what states it")
                .isEmpty();
        assertThat(verify().exit()).isEqualTo(3);

        second.close();
        run();
        assertThat(position().takeovers()).hasSize(1);
        assertThat(verify().exit()).isEqualTo(3);
    }

    /** The reader stops at a bound of them: any number of replays may have been given up, and their segments never come. */
    @Test
    void shouldAwaitNoSegmentForTheLastRowsOfAGenerationThatHasEnded() throws Exception {
        events(first, 1, 3, "live");
        events(second, 1, OpenSegment.MAX_LEAVES + 2, "given up");
        try (var shard = new ShardExport(export.settings, store, TestExport.SHARD, export.metrics)) {
            for (var row : first.structured()) {
                shard.row(row.offset(), 0, row.value());
            }
            assertThat(shard.awaitingRows()).as("it may go on").isEqualTo(3 + OpenSegment.MAX_LEAVES + 2);

            shard.know(known(0));

            assertThat(shard.awaitingRows())
                    .as("a whole segment of it was closed, and comes")
                    .isEqualTo(3 + 2);
            shard.segment(first.proof().get(0).offset(), first.proof().get(0).value());
            assertThat(shard.uncoveredRows()).isEqualTo(3 + 2);
            assertThat(shard.awaitingRows()).isEqualTo(3);
        }
    }

    @Test
    void shouldHaveNoAgeOfRowsThatWereLeftOut() throws Exception {
        events(second, 1, 3, "given up");
        try (var shard = new ShardExport(export.settings, store, TestExport.SHARD, export.metrics)) {
            for (var row : first.structured()) {
                shard.row(row.offset(), 1_000, row.value());
            }
            assertThat(shard.ageMs(5_000)).isEqualTo(4_000);

            shard.know(known(0));
            shard.settle();

            assertThat(shard.ageMs(5_000)).as("nothing waits for a segment").isZero();
            events(first, 1, 2, "live");
            first.close();
            for (var row : first.structured().subList(3, 5)) {
                shard.row(row.offset(), 4_000, row.value());
            }
            assertThat(shard.ageMs(5_000)).isEqualTo(1_000);
            shard.segment(first.proof().get(0).offset(), first.proof().get(0).value());
            assertThat(shard.isDue(5_000, false, false)).as("it is young").isFalse();
            assertThat(shard.isDue(700_000, true, false)).isTrue();
        }
    }
}
