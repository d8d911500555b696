package io.sallyport.consumer.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.consumer.core.ShardProgress.Event;
import io.sallyport.consumer.core.ShardProgress.Marker;
import io.sallyport.consumer.core.ShardProgress.Pass;
import io.sallyport.consumer.core.ShardProgress.Replaced;
import io.sallyport.consumer.core.ShardProgress.Step;
import io.sallyport.consumer.core.ShardProgress.Why;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ShardProgressTest {
    private static final Set<Integer> ALL = Set.of();

    private static StructuredRecord event(int generation, long rawOffset) {
        return StructuredRecord.newBuilder()
                .setEvent(Envelope.newBuilder()
                        .setSeq(rawOffset)
                        .setEventType(4)
                        .setOrigin(Origin.newBuilder().setGeneration(generation).setRawOffset(rawOffset)))
                .build();
    }

    private static StructuredRecord takeover(int generation, long from, long to, long structuredOffset) {
        return StructuredRecord.newBuilder()
                .setGeneration(GenerationRecord.newBuilder()
                        .setFromOffset(from)
                        .setToOffset(to)
                        .setComplete(true)
                        .setStructuredOffset(structuredOffset)
                        .setOrigin(Origin.newBuilder().setGeneration(generation)))
                .build();
    }

    @Test
    void shouldPassOverWhatItDoesNotKnow() {
        var progress = ShardProgress.beginning();

        assertThat(progress.step(StructuredRecord.getDefaultInstance(), 0, ALL)).isEqualTo(new Pass(Why.KIND));
        assertThat(progress.step(event(0, 1), 0, Set.of(5))).isEqualTo(new Pass(Why.EVENT_TYPE));
        assertThat(progress.step(event(0, 1), 0, Set.of(4))).isInstanceOf(Event.class);
        assertThat(progress.step(
                        StructuredRecord.newBuilder()
                                .setMarker(CoverageMarker.getDefaultInstance())
                                .build(),
                        0,
                        Set.of(5)))
                .as("markers come whatever types are wanted")
                .isInstanceOf(Marker.class);
        assertThatThrownBy(() -> progress.step(takeover(0, 5, 10, 0), 0, ALL))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldReadAGenerationWhenItHasTakenOverAndNotBefore() {
        var progress = ShardProgress.beginning();
        progress.done(0, 6);

        assertThat(progress.step(event(1, 5), 4, ALL)).isEqualTo(new Pass(Why.PENDING));
        Step step = progress.step(takeover(1, 5, 9, 4), 7, ALL);
        assertThat(step).isEqualTo(new Replaced(new ShardTakeover(1, 5, 9), 4));
        progress.add(((Replaced) step).takeover());

        assertThat(progress.step(event(1, 5), 4, ALL)).isInstanceOf(Event.class);
        assertThat(progress.step(event(0, 6), 5, ALL)).isEqualTo(new Pass(Why.REPEATED));
        assertThat(progress.step(takeover(1, 5, 9, 4), 7, ALL)).isEqualTo(new Pass(Why.KNOWN_TAKEOVER));
        assertThat(progress.step(event(0, 9), 8, ALL)).isEqualTo(new Pass(Why.VOID));
        assertThat(progress.step(event(2, 9), 9, ALL)).isEqualTo(new Pass(Why.PENDING));
    }

    @Test
    void shouldNeverJumpForward() {
        var progress = ShardProgress.beginning();

        assertThat(progress.step(takeover(1, 5, 9, 400), 7, ALL))
                .isEqualTo(new Replaced(new ShardTakeover(1, 5, 9), 7));
    }

    @Test
    void shouldComeBackFromItsText() {
        var progress = ShardProgress.beginning();
        progress.add(new ShardTakeover(1, 5, 9));
        progress.done(0, 6);
        progress.done(1, 12);

        assertThat(progress.text()).isEqualTo("1 h 0:6 1:12 t 1:5:9");
        assertThat(ShardProgress.of(progress.text()).text()).isEqualTo(progress.text());
        assertThat(ShardProgress.of("1 h t").text()).isEqualTo("1 h t");
        for (String text : new String[] {"", "2 h t", "1 h 0 t", "1 h t 1:5"}) {
            assertThatThrownBy(() -> ShardProgress.of(text)).as(text).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void shouldFitBesideAnOffset() {
        var progress = ShardProgress.beginning();
        for (int generation = 0; generation < 100; generation++) {
            progress.done(generation, Long.MAX_VALUE);
            progress.add(new ShardTakeover(generation + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE));
        }

        assertThat(progress.text().length())
                .as("the broker's default for offset.metadata.max.bytes")
                .isLessThan(4_096);
    }

    private static LongStream seeds() {
        return LongStream.rangeClosed(1, 60);
    }

    /** Dies at any record, and goes on from what was committed at any earlier one: each current record is seen, in order. */
    @ParameterizedTest
    @MethodSource("seeds")
    void shouldEndWithEachCurrentRecordWhereverItDies(long seed) {
        var random = new Random(seed);
        List<StructuredRecord> log = new ArrayList<>();
        for (int raw = 0; raw < 12; raw++) {
            log.add(event(0, raw));
            if (raw >= 6) {
                log.add(event(1, raw - 2));
            }
        }
        log.add(takeover(1, 4, 12, 7));
        log.add(event(1, 10));
        log.add(event(1, 11));
        log.add(event(0, 12));
        log.add(event(1, 12));

        List<String> seen = new ArrayList<>();
        var progress = ShardProgress.beginning();
        int at = 0;
        int committedAt = 0;
        String committed = progress.text();
        for (int deaths = 0; at < log.size(); ) {
            if (random.nextInt(6) == 0) {
                committedAt = at;
                committed = progress.text();
            }
            if (deaths < 40 && random.nextInt(4) == 0) {
                deaths++;
                at = committedAt;
                progress = ShardProgress.of(committed);
                continue;
            }
            Step step = progress.step(log.get(at), at, ALL);
            if (step instanceof Replaced replaced) {
                progress.add(replaced.takeover());
                at = (int) replaced.from();
                continue;
            }
            if (step instanceof Event event) {
                seen.add(event.generation() + ":" + event.event().getSeq());
                progress.done(event.generation(), at);
            } else if (step instanceof Pass pass && pass.why() == Why.VOID) {
                progress.done(0, at);
            }
            at++;
        }

        List<String> wanted = new ArrayList<>();
        for (int raw = 0; raw < 12; raw++) {
            wanted.add("0:" + raw);
        }
        for (int raw = 4; raw <= 12; raw++) {
            wanted.add("1:" + raw);
        }
        assertThat(seen.stream().distinct()).as("seed " + seed).containsExactlyElementsOf(wanted);
    }
}
