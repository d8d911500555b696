package io.sallyport.normalizer.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.broker.CommittedLog;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.normalizer.generation.GenerationLog;
import io.sallyport.normalizer.streams.Incarnation;
import io.sallyport.normalizer.streams.TestLog;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Fence;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.Replay.Phase;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReplayIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final SensorKey SENSOR = TestLog.newSensor();
    private static final int SHARD = TestLog.partitionOf(SENSOR);

    @TempDir
    static Path dir;

    private static ReplayCell cell;
    private final RawRecords raw = new RawRecords(SENSOR);

    @BeforeAll
    static void aCell() throws Exception {
        cell = new ReplayCell(dir);
    }

    @AfterAll
    static void stop() {
        cell.close();
    }

    @Test
    @Order(1)
    void shouldReplaceWhatABadBuildWroteWhileLiveIngestGoesOn() throws Exception {
        RecordMetadata good;
        try (var run = cell.start(ReplayCell.GOOD)) {
            good = append(1, 10);
            assertSeqs(cell.awaitCurrent(SHARD, 10), 10);
            cell.awaitSnapshot(SHARD, good.offset());
        }
        Instant deployed = Instant.now();
        try (var run = cell.start(ReplayCell.BAD)) {
            cell.awaitHandled(0, SHARD, append(11, 20).offset());
        }
        assertThat(cell.current(SHARD)).extracting(ReplayIT::text).contains(CorruptingDecider.SCRAMBLED);
        try (var run = cell.start(ReplayCell.GOOD);
                var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
            cell.awaitHandled(0, SHARD, append(21, 25).offset());
            assertThat(cell.current(SHARD)).as("its stores are spoilt").hasSizeLessThan(22);

            Differences wrong = differences(deployed);
            assertThat(wrong.missing() + wrong.same()).as("of 11 to 25").isGreaterThan(10);
            assertThat(wrong.missing()).isGreaterThanOrEqualTo(3);
            assertThat(wrong.changed()).as("13, 16 and 19").isEqualTo(3);
            assertThat(wrong.any()).isTrue();
            assertThat(replay.begin(deployed)).isEqualTo(1);
            append(26, 30);
            assertThat(replay.finish(PATIENCE)).isTrue();
            append(31, 33);

            List<Envelope> current = cell.awaitCurrent(SHARD, 33);
            assertSeqs(current, 33);
            assertThat(current).allSatisfy(event -> {
                assertThat(text(event)).isEqualTo("event " + event.getSeq());
                assertThat(event.getIngestTsUs()).isEqualTo(RawRecords.INGEST_US);
                assertThat(event.getOrigin().getGeneration()).isEqualTo(event.getSeq() <= 10 ? 0 : 1);
            });
            assertThat(replay.state().getLive()).isEqualTo(1);
            assertThat(replay.state().hasReplay()).isFalse();
            Differences none = differences(deployed);
            assertThat(none.any()).as(none.examples().toString()).isFalse();
            assertThat(none.same()).isEqualTo(23);
        }
        for (int shard = 0; shard < TopicSizing.LOCAL.shardsMax(); shard++) {
            assertThat(cell.takeovers(shard)).as("shard " + shard).hasSize(1);
        }
        GenerationRecord takeover = cell.takeovers(SHARD).get(0);
        assertThat(takeover.getComplete()).isTrue();
        assertThat(takeover.getFromOffset()).isEqualTo(good.offset() + 1);
        assertThat(takeover.getToOffset()).isEqualTo(takeover.getOrigin().getRawOffset());
        assertThat(CommittedLog.read(cell.bootstrapServers(), Topics.STRUCTURED.name(), SHARD).stream()
                        .filter(record -> record.offset() >= takeover.getStructuredOffset())
                        .map(record -> TestLog.parse(StructuredRecord.parser(), record.value()))
                        .filter(record -> record.hasEvent()
                                && record.getEvent().getOrigin().getGeneration() == 1))
                .as("all of its records stand behind the offset that the takeover names")
                .hasSize(23);
    }

    @Test
    @Order(2)
    void shouldGiveUpAReplayBeforeItsTakeover() throws Exception {
        try (var replay = new Replay(cell.bootstrapServers(), progress -> {});
                var other = new Replay(cell.bootstrapServers(), progress -> {})) {
            assertThatThrownBy(replay::abort).isInstanceOf(ReplayRefusedException.class);
            assertThat(replay.begin(Instant.EPOCH))
                    .as("without a snapshot that old: from the beginning of raw, which was never cut")
                    .isEqualTo(2);
            assertThat(replay.state().getReplay().getShards(SHARD))
                    .matches(start -> start.getFromOffset() == 0 && !start.hasSnapshotOffset());
            assertThatThrownBy(() -> other.begin(Instant.now()))
                    .isInstanceOf(ReplayRefusedException.class)
                    .hasMessageContaining("generation 2");
            other.abort();
            assertThatThrownBy(() -> replay.finish(PATIENCE)).isInstanceOf(ReplayRefusedException.class);
            assertThat(replay.state().getLive()).isEqualTo(1);
            assertSeqs(cell.current(SHARD), 33);
        }
    }

    @Test
    @Order(3)
    void shouldGoOnWhereAnOperatorOrANormalizerWasStopped() throws Exception {
        RecordMetadata last = append(34, 36);
        try (var run = cell.start(ReplayCell.GOOD);
                var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
            cell.awaitHandled(1, SHARD, last.offset());
            assertThat(replay.begin(Instant.now()))
                    .as("no number is given twice")
                    .isEqualTo(3);
            assertThat(replay.finish(Duration.ZERO)).isFalse();
            append(37, 38);
            cell.awaitHandled(3);
        }
        stopOperatorAt(Replay.Step.TAKING_OVER);
        long fence;
        try (var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
            assertThatThrownBy(replay::abort)
                    .as("the takeover is decided, and nobody is there")
                    .hasMessageContaining("resumed");
            fence = replay.state().getReplay().getShards(SHARD).getRawEnd();
            // A second operator, who was late.
            cell.log().append(SHARD, fence(3));
        }
        RecordMetadata behind = append(39, 40);
        try (var next = cell.streams("n-0", cell.onItsWay(), ReplayCell.GOOD)) {
            next.start();
            stopOperatorAt(Replay.Step.DRAINING);
        }
        try (var old = cell.streams("old", new Incarnation(1, Map.of()), ReplayCell.GOOD)) {
            old.start();
            cell.awaitHandled(1, SHARD, behind.offset());
        }
        assertThat(cell.structured(SHARD).stream()
                        .filter(record -> record.hasEvent()
                                && record.getEvent().getOrigin().getGeneration() == 1
                                && record.getEvent().getOrigin().getRawOffset() >= fence))
                .as("an older generation decides nothing behind the fence")
                .isEmpty();
        try (var run = cell.start(ReplayCell.GOOD);
                var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
            assertThat(replay.finish(PATIENCE)).isTrue();
            Generations state = replay.state();
            assertThat(state.getLive()).isEqualTo(3);
            assertThat(state.getTakeoversCount()).isEqualTo(2 * TopicSizing.LOCAL.shardsMax());
        }
        try (var run = cell.start(ReplayCell.GOOD)) {
            append(41, 42);
            List<Envelope> current = cell.awaitCurrent(SHARD, 42);
            assertSeqs(current, 42);
            assertThat(current.get(41).getOrigin().getGeneration()).isEqualTo(3);
        }
        assertThat(cell.takeovers(SHARD))
                .extracting(takeover -> takeover.getOrigin().getGeneration())
                .containsExactly(1, 3);
        assertThat(cell.takeovers(SHARD).get(1).getToOffset()).isEqualTo(fence);
        for (int shard = 0; shard < TopicSizing.LOCAL.shardsMax(); shard++) {
            assertThat(cell.proved(1, shard))
                    .as("what it left behind is proved, shard " + shard)
                    .isEqualTo(cell.written(1, shard));
        }
    }

    @Test
    @Order(4)
    void shouldReplaceNothingBeforeItsFenceWhereRawWasCutBeforeItWasDerivedAgain() throws Exception {
        RecordMetadata last = append(43, 44);
        try (var run = cell.start(ReplayCell.GOOD);
                var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
            cell.awaitHandled(3, SHARD, last.offset());
            assertThat(replay.begin(Instant.now())).isEqualTo(4);
            cell.awaitHandled(4);
        }
        // An operator who was stopped between the decision and the fences.
        try (var log = new GenerationLog(cell.bootstrapServers())) {
            Generations seen = log.current();
            var decided = seen.getReplay().toBuilder().setPhase(Phase.TAKING_OVER);
            assertThat(log.replace(seen, seen.toBuilder().setReplay(decided).build()))
                    .isTrue();
        }
        long fence = append(45, 46).offset() + 1;
        stopOperatorAt(Replay.Step.TAKING_OVER);
        try (var old = cell.streams("old", new Incarnation(3, Map.of()), ReplayCell.GOOD)) {
            old.start();
            cell.awaitHandled(3, SHARD, fence);
        }
        cell.cutRaw(SHARD, fence);

        try (var run = cell.start(ReplayCell.GOOD);
                var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
            assertThat(replay.finish(PATIENCE)).isTrue();
            assertThat(replay.state().getTakeoversList())
                    .filteredOn(takeover -> takeover.getGeneration() == 4 && takeover.getShard() == SHARD)
                    .singleElement()
                    .matches(takeover -> takeover.getIncomplete()
                            && takeover.getFromOffset() == fence
                            && takeover.getToOffset() == fence);
            append(47, 47);
            List<Envelope> current = cell.awaitCurrent(SHARD, 47);
            assertSeqs(current, 47);
            assertThat(current)
                    .filteredOn(event -> event.getSeq() > 44)
                    .extracting(
                            event -> event.getSeq() + " of " + event.getOrigin().getGeneration())
                    .containsExactlyInAnyOrder("45 of 3", "46 of 3", "47 of 4");
        }
        assertThat(cell.takeovers(SHARD).get(2))
                .matches(takeover -> !takeover.getComplete() && takeover.getFromOffset() < fence);
    }

    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Whoever takes the replay to its end dies when it comes to this step. */
    private static void stopOperatorAt(Replay.Step step) {
        try (var replay = new Replay(cell.bootstrapServers(), progress -> {
            if (progress.step() == step) {
                throw new Stopped();
            }
        })) {
            assertThatThrownBy(() -> replay.finish(PATIENCE)).isInstanceOf(Stopped.class);
            assertThat(replay.state().getReplay().getPhase()).isEqualTo(Phase.TAKING_OVER);
        }
    }

    private static Differences differences(Instant from) throws InterruptedException {
        try (var dry = new DryRun(cell.bootstrapServers(), ReplayCell.GOOD)) {
            return dry.run(from, Instant.now().plusSeconds(1));
        }
    }

    private RecordMetadata append(long from, long to) {
        return cell.log().append(SENSOR, raw.range(0, 1, from, to));
    }

    private static RawRecord fence(int generation) {
        return new RawRecord(
                0,
                "-".getBytes(StandardCharsets.US_ASCII),
                RawKind.FENCE.name().getBytes(StandardCharsets.US_ASCII),
                null,
                Fence.newBuilder().setGeneration(generation).build().toByteArray());
    }

    private static void assertSeqs(List<Envelope> events, int upTo) {
        assertThat(events)
                .extracting(Envelope::getSeq)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, upTo).boxed().toList());
    }

    private static String text(Envelope event) {
        return event.getPayload().toStringUtf8();
    }
}
