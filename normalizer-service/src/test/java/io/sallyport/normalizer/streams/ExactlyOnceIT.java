package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is stopped, killed, aborted, wiped or moved: readers of committed records see each event once, in raw order. */
class ExactlyOnceIT {
    @BeforeAll
    static void letStreamThreadsDie() {
        // Awaitility would fail a test for an exception on any thread; here some die on purpose.
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }

    @AfterAll
    static void reset() {
        Awaitility.reset();
    }

    @TempDir
    Path stateDir;

    @TempDir
    Path otherStateDir;

    @Test
    void shouldCommitEachEventOnceAcrossACleanRestart() {
        SensorKey sensor = TestLog.newSensor();
        var raw = new RawRecords(sensor);
        try (var log = new TestLog()) {
            try (var run = NormalizerRun.start(stateDir)) {
                log.append(sensor, raw.range(0, 1, 1, 10));
                log.append(sensor, raw.range(0, 1, 5, 20));
                assertThat(seqs(TestLog.awaitEvents(sensor, 20))).isEqualTo(range(1, 20));
                assertThat(run.count("sallyport.normalizer.duplicates")).isEqualTo(6);
            }
            try (var run = NormalizerRun.start(stateDir)) {
                log.append(sensor, raw.range(0, 1, 15, 30));
                assertThat(seqs(TestLog.awaitEvents(sensor, 30))).isEqualTo(range(1, 30));
                assertThat(run.count("sallyport.normalizer.duplicates")).isEqualTo(6);
            }
        }
        assertThat(TestLog.markers(sensor)).isEmpty();
    }

    @Test
    void shouldRememberEverythingWhenTheStateFolderIsLost() {
        SensorKey sensor = TestLog.newSensor();
        var raw = new RawRecords(sensor);
        try (var log = new TestLog()) {
            try (var run = NormalizerRun.start(stateDir)) {
                log.append(sensor, raw.range(0, 1, 1, 200));
                TestLog.awaitEvents(sensor, 200);
                assertThat(run.gaveUp()).isFalse();
            }
            try (var run = NormalizerRun.start(otherStateDir)) {
                log.append(sensor, raw.range(0, 1, 100, 250));
                assertThat(seqs(TestLog.awaitEvents(sensor, 250))).isEqualTo(range(1, 250));
                assertThat(run.count("sallyport.normalizer.duplicates")).isEqualTo(101);
            }
        }
        assertThat(TestLog.markers(sensor)).isEmpty();
    }

    @Test
    void shouldForgetWhatAnAbortedTransactionDid() {
        SensorKey sensor = TestLog.newSensor();
        var raw = new RawRecords(sensor);
        var calls = new AtomicInteger();
        // Types are asked for in the middle of a batch: its first events are decided, and forwarded records before it.
        IntPredicate failing = type -> {
            if (type == 9 && calls.incrementAndGet() <= 2) {
                throw new IllegalStateException("on purpose, in the middle of a transaction");
            }
            return true;
        };
        try (var log = new TestLog();
                var run = NormalizerRun.start(stateDir, "it-0", failing)) {
            log.append(sensor, raw.range(0, 1, 1, 50));
            var events = new RawRecords.Event[20];
            for (int i = 0; i < events.length; i++) {
                events[i] = RawRecords.Event.of(51 + i).type(i == 10 ? 9 : 4);
            }
            log.append(sensor, raw.batch(0, 1, events));
            log.append(sensor, raw.range(0, 1, 71, 80));

            assertThat(seqs(TestLog.awaitEvents(sensor, 80))).isEqualTo(range(1, 80));
            TestProof.awaitCovered(TestLog.partitionOf(sensor));
            assertThat(calls.get()).isGreaterThanOrEqualTo(3);
            assertThat(run.count("sallyport.alerts")).isEqualTo(2);
            assertThat(run.gaveUp()).isFalse();
        }
        assertThat(TestLog.markers(sensor)).isEmpty();
        assertThat(TestLog.quarantine(sensor)).isEmpty();
    }

    @Test
    void shouldGiveUpInsteadOfLoopingWhereThreadsKeepDying() {
        SensorKey sensor = TestLog.newSensor();
        var raw = new RawRecords(sensor);
        try (var log = new TestLog()) {
            try (var run = NormalizerRun.start(stateDir, "it-0", type -> {
                throw new IllegalStateException("on purpose, always");
            })) {
                log.append(sensor, raw.range(0, 1, 1, 5));
                await().atMost(Duration.ofSeconds(90)).until(run::gaveUp);
                await().atMost(Duration.ofSeconds(60)).until(() -> run.state().equals("ERROR"));
                assertThat(run.isRunning()).isFalse();
            }
            try (var run = NormalizerRun.start(stateDir)) {
                assertThat(seqs(TestLog.awaitEvents(sensor, 5))).isEqualTo(range(1, 5));
                assertThat(run.isRunning()).isTrue();
            }
        }
    }

    @Test
    void shouldCommitEachEventOnceAcrossKills() throws Exception {
        SensorKey sensor = TestLog.newSensor();
        var raw = new RawRecords(sensor);
        var random = new Random(77);
        long next = 1;
        try (var log = new TestLog()) {
            for (int kill = 0; kill < 3; kill++) {
                Process process = NormalizerProcess.start(TestBroker.shared().bootstrapServers(), stateDir);
                try {
                    long until = next + 400;
                    int handled = TestLog.events(sensor).size();
                    while (next < until) {
                        long last = next + random.nextInt(20);
                        log.append(sensor, raw.range(0, 1, Math.max(1, next - random.nextInt(30)), last));
                        next = last + 1;
                    }
                    // Killed while it works: some of this round is committed, the rest not yet.
                    TestLog.awaitEvents(sensor, handled + 1);
                } finally {
                    process.destroyForcibly().waitFor();
                }
            }
            try (var run = NormalizerRun.start(stateDir)) {
                assertThat(seqs(TestLog.awaitEvents(sensor, (int) next - 1))).isEqualTo(range(1, next - 1));
                TestProof.awaitCovered(TestLog.partitionOf(sensor));
                assertThat(run.gaveUp()).isFalse();
            }
        }
        assertThat(TestLog.markers(sensor)).isEmpty();
        assertThat(TestLog.quarantine(sensor)).isEmpty();
    }

    @Test
    void shouldHandPartitionsOverToASecondInstanceAndBack() {
        var sensors = new ArrayList<SensorKey>();
        for (int i = 0; i < 16; i++) {
            sensors.add(TestLog.newSensor());
        }
        try (var log = new TestLog();
                var first = NormalizerRun.start(stateDir)) {
            feed(log, sensors, 1, 20);
            awaitAll(sensors, 20);
            try (var second = NormalizerRun.start(otherStateDir, "it-1", type -> type == 4)) {
                feed(log, sensors, 11, 40);
                awaitAll(sensors, 40);
                assertThat(second.count("sallyport.normalizer.events")).isPositive();
            }
            feed(log, sensors, 31, 60);
            awaitAll(sensors, 60);
            sensors.stream().map(TestLog::partitionOf).distinct().forEach(TestProof::awaitCovered);
            assertThat(first.gaveUp()).isFalse();
        }
        for (SensorKey sensor : sensors) {
            assertThat(seqs(TestLog.events(sensor))).as("%s", sensor).isEqualTo(range(1, 60));
            assertThat(TestLog.markers(sensor)).isEmpty();
        }
    }

    @Test
    void shouldNumberEveryRecordOfAShardDensely() throws Exception {
        SensorKey sensor = TestLog.newSensor();
        try (var log = new TestLog();
                var run = NormalizerRun.start(stateDir)) {
            log.append(sensor, new RawRecords(sensor).range(0, 1, 1, 5));
            TestLog.awaitEvents(sensor, 5);
            assertThat(run.gaveUp()).isFalse();
        }
        int partition = TestLog.partitionOf(sensor);
        long pos = -1;
        for (var record : TestLog.read(Topics.STRUCTURED.name(), partition)) {
            StructuredRecord value = StructuredRecord.parseFrom(record.value());
            Origin origin = value.hasEvent()
                    ? value.getEvent().getOrigin()
                    : value.getMarker().getOrigin();
            // Retention may have taken the beginning.
            pos = pos < 0 ? origin.getPos() : pos + 1;
            assertThat(origin.getPos()).isEqualTo(pos);
            assertThat(origin.getShard()).isEqualTo(partition);
            assertThat(origin.getRawPartition()).isEqualTo(partition);
            assertThat(origin.getGeneration()).isZero();
        }
        assertThat(pos).isGreaterThanOrEqualTo(4);
    }

    private static void feed(TestLog log, List<SensorKey> sensors, long from, long to) {
        for (SensorKey sensor : sensors) {
            log.append(sensor, new RawRecords(sensor).range(0, 1, from, to));
        }
    }

    private static void awaitAll(List<SensorKey> sensors, int events) {
        sensors.forEach(sensor -> TestLog.awaitEvents(sensor, events));
    }

    static List<Long> seqs(List<Envelope> events) {
        return events.stream().map(Envelope::getSeq).toList();
    }

    static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }
}
