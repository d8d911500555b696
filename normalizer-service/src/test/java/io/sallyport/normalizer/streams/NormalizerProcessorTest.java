package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.edge.streams.LogMadeAnewException;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedPunctuator;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a task asks to be called back for, and what it begins with. */
class NormalizerProcessorTest {
    private static final int SHARD = 3;
    private static final long NOW = 1_700_000_000_000L;
    private static final long HOUR = 3_600_000;

    @TempDir
    Path dir;

    private final RawRecords raw = new RawRecords(TestLog.newSensor());
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private MockProcessorContext<byte[], Outgoing> context;
    private boolean wanted = true;

    @BeforeEach
    void aTask() {
        context = new MockProcessorContext<>(new Properties(), new TaskId(0, SHARD), dir.toFile());
        context.setCurrentSystemTimeMs(NOW);
        KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore(NormalizerTopology.STORE), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingDisabled()
                .build();
        store.init(context.getStateStoreContext(), store);
        context.addStateStore(store);
    }

    private NormalizerProcessor task(Incarnation incarnation) {
        NormalizerProcessor processor = task(incarnation, Decider.dedupe(NormalizerRun.LIMITS, type -> true));
        processor.init(context);
        return processor;
    }

    private NormalizerProcessor task(Incarnation incarnation, Supplier<Decider> deciders) {
        var predecessors = new Predecessors() {
            @Override
            public void entries(int shard, long offset, BiConsumer<byte[], byte[]> each) {}

            @Override
            public boolean isWanted(int generation) {
                return wanted;
            }
        };
        return new NormalizerProcessor(
                deciders,
                new NormalizerMetrics(meters, new Alerts(meters)),
                "test",
                incarnation,
                predecessors,
                new SnapshotTurns(HOUR, 200));
    }

    /** What made it fail must not be hidden by another failure. */
    @Test
    void shouldBeClosedAfterItCouldNotBegin() {
        NormalizerProcessor task = task(Incarnation.FIRST, () -> {
            throw new IllegalStateException("on purpose");
        });
        assertThatThrownBy(() -> task.init(context)).hasMessage("on purpose");

        task.close();

        assertThat(alarms()).isEmpty();
    }

    @Test
    void shouldAskForATimeOnlyWhileSomethingIsToBeDone() {
        NormalizerProcessor task = task(Incarnation.FIRST);
        assertThat(alarms()).as("nothing came yet").isEmpty();

        handle(task, 0, 1, 5);
        assertThat(alarms()).as("its state was never copied").containsExactly(Duration.ofMillis(1));
        ring(NOW + 1);
        assertThat(context.forwarded(NormalizerTopology.TO_SNAPSHOTS)).hasSize(1);
        assertThat(context.committed()).as("before the next shard is copied").isTrue();
        assertThat(context.forwarded(NormalizerTopology.TO_PROOF))
                .as("what the copy has in it is proved")
                .hasSize(1);

        handle(task, 1, 6, 9);
        assertThat(alarms()).as("the segment is open").containsExactly(Duration.ofMillis(1_000));
        ring(NOW + 1_001);
        assertThat(context.forwarded(NormalizerTopology.TO_PROOF)).hasSize(2);
        assertThat(alarms()).as("the next copy is an hour away").containsExactly(Duration.ofMinutes(1));

        task.close();
        assertThat(alarms()).as("a task that is revived asks again").isEmpty();
    }

    @Test
    void shouldBeWokenAfterARestartForWhatItsStoreHolds() {
        NormalizerProcessor before = task(Incarnation.FIRST);
        handle(before, 0, 1, 5);
        ring(NOW + 1);
        handle(before, 1, 6, 9);
        before.close();

        context.setCurrentSystemTimeMs(NOW + 400);
        task(Incarnation.FIRST);
        assertThat(alarms()).containsExactly(Duration.ofMillis(601));
    }

    @Test
    void shouldNotBeginAShardAgainInAGenerationThatHasEnded() {
        wanted = false;
        NormalizerProcessor first = task(Incarnation.FIRST);
        handle(first, 0, 1, 5);
        handle(first, 1, 6, 9);
        assertThat(context.forwarded()).isEmpty();
        assertThat(alarms()).isEmpty();
        first.close();
    }

    @Test
    void shouldNotDeriveAgainWhatALaterGenerationHasReplaced() {
        wanted = false;
        NormalizerProcessor second = task(begun());
        handle(second, 7, 1, 5);
        assertThat(context.forwarded()).isEmpty();
    }

    @Test
    void shouldCommitWhenAShardHasLoadedItsState() {
        NormalizerProcessor second = task(begun());
        handle(second, 7, 1, 5);
        assertThat(context.forwarded(NormalizerTopology.TO_STRUCTURED)).hasSize(5);
        assertThat(context.committed()).isTrue();
        assertThat(alarms()).as("for its segment alone: it is not live").containsExactly(Duration.ofMillis(1_000));
    }

    @Test
    void shouldRefuseToGoOnWhereRawWasMadeAnewBelowItsState() {
        NormalizerProcessor before = task(Incarnation.FIRST);
        handle(before, 41, 1, 5);
        before.close();
        context.resetForwards();

        NormalizerProcessor after = task(Incarnation.FIRST);
        handle(after, 7, 1, 5);
        assertThat(context.forwarded()).as("read again").isEmpty();
        assertThatThrownBy(() -> handle(after, 0, 6, 9, NOW + HOUR))
                .isInstanceOf(LogMadeAnewException.class)
                .hasMessageContaining("raw was made anew: partition 3 has a record at offset 0")
                .hasMessageContaining("up to offset 41");
    }

    @Test
    void shouldReadACursorThatKnowsNoTime() {
        byte[] older = java.util.Arrays.copyOf(new Cursor(7, NOW, 3, Cursor.Open.empty(2)).encode(), 40);
        assertThat(Cursor.decode(older)).isEqualTo(new Cursor(7, 0, 3, Cursor.Open.empty(2)));
    }

    private static Incarnation begun() {
        return new Incarnation(1, Map.of(SHARD, new Incarnation.Start(7, OptionalLong.of(4), 0, NOW - HOUR)));
    }

    private void handle(NormalizerProcessor task, long offset, long from, long to) {
        handle(task, offset, from, to, NOW);
    }

    private void handle(NormalizerProcessor task, long offset, long from, long to, long appendMs) {
        RawRecord record = raw.range(appendMs, 1, from, to);
        context.setRecordMetadata(Topics.RAW.name(), SHARD, offset);
        var headers = new RecordHeaders().add(RawHeaders.KIND, record.kind()).add(RawHeaders.STAMP, record.stamp());
        task.process(new Record<>(record.key(), record.value(), record.appendMs(), headers));
    }

    private List<Duration> alarms() {
        return pending().stream().map(CapturedPunctuator::getInterval).toList();
    }

    private void ring(long nowMs) {
        context.setCurrentSystemTimeMs(nowMs);
        pending().get(0).getPunctuator().punctuate(nowMs);
    }

    private List<CapturedPunctuator> pending() {
        return context.scheduledPunctuators().stream()
                .filter(punctuator -> !punctuator.cancelled())
                .toList();
    }
}
