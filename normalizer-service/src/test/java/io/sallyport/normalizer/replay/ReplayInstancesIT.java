package io.sallyport.normalizer.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.normalizer.generation.RunningGenerations;
import io.sallyport.normalizer.generation.SnapshotReader;
import io.sallyport.normalizer.streams.Incarnation;
import io.sallyport.normalizer.streams.Predecessors;
import io.sallyport.normalizer.streams.TestLog;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ShardStart;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Replays of a cell whose shards several instances share, and whose operators do not know of each other. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReplayInstancesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SHARDS = TopicSizing.LOCAL.shardsMax();
    private static final int LONE_GENERATION = 90;
    private static final List<SensorKey> ONE_OF_EACH_SHARD = oneOfEachShard();

    @TempDir
    static Path dir;

    private static ReplayCell cell;
    private static RunningGenerations first;
    private static RunningGenerations second;

    @BeforeAll
    static void twoInstances() throws Exception {
        cell = new ReplayCell(dir);
        first = cell.start("n-0", ReplayCell.GOOD);
        second = cell.start("n-1", ReplayCell.GOOD);
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
        cell.close();
    }

    @Test
    @Order(1)
    void shouldTakeEveryShardOverOnceWhereTwoInstancesShareThem() throws Exception {
        List<Long> ends = feed(1, 10);
        for (int shard = 0; shard < SHARDS; shard++) {
            cell.awaitSnapshot(shard, ends.get(shard));
        }
        try (var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
            feed(11, 15);
            assertThat(replay.begin(Instant.now())).isEqualTo(1);
            feed(16, 20);
            assertThat(replay.finish(PATIENCE)).isTrue();
        }
        feed(21, 25);
        assertCurrent(25);
        await().atMost(PATIENCE).until(() -> first.live() == 1 && second.live() == 1);
        for (int shard = 0; shard < SHARDS; shard++) {
            assertThat(cell.takeovers(shard)).as("shard " + shard).hasSize(1);
        }
        assertSnapshotsStandApart();
    }

    /** It learns nothing while it is paused; its group and its stores are gone when it goes on. */
    @Test
    @Order(2)
    void shouldBeginNothingInAGenerationThatEndedWhileAnInstanceWasPaused() throws Exception {
        try (var admin = Admin.create(Map.<String, Object>of("bootstrap.servers", cell.bootstrapServers()))) {
            await().atMost(PATIENCE).until(() -> isRemoved(admin, Incarnation.applicationId(0)));
            List<String> stores = Incarnation.ownTopics(0);
            admin.deleteTopics(stores);
            await().atMost(PATIENCE)
                    .until(() -> Collections.disjoint(admin.listTopics().names().get(), stores));
            long before = recordsOf(0);
            try (var paused = cell.streams("paused", Incarnation.FIRST, ReplayCell.GOOD)) {
                paused.start();
                cell.awaitHandled(0);
            }
            assertThat(recordsOf(0)).isEqualTo(before);
        }
        assertCurrent(25);
    }

    @Test
    @Order(3)
    void shouldEndAReplayThatIsGivenUpInEveryInstance() throws Exception {
        try (var replay = new Replay(cell.bootstrapServers(), progress -> {});
                var admin = Admin.create(Map.<String, Object>of("bootstrap.servers", cell.bootstrapServers()))) {
            assertThat(replay.begin(Instant.now())).isEqualTo(2);
            feed(26, 30);
            cell.awaitHandled(2);
            replay.abort();
            await().atMost(PATIENCE).until(() -> isRemoved(admin, Incarnation.applicationId(2)));
        }
        feed(31, 35);
        assertCurrent(35);
    }

    @Test
    @Order(4)
    void shouldGoOnWhereInstancesComeAndGo() throws Exception {
        try (var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
            assertThat(replay.begin(Instant.now())).isEqualTo(3);
            feed(36, 40);
            second.close();
            feed(41, 45);
            second = cell.start("n-1", ReplayCell.GOOD);
            cell.awaitHandled(3);
            first.close();
            // The fences of its shards are passed by the other one.
            assertThat(replay.finish(PATIENCE)).isTrue();
        }
        feed(46, 50);
        assertCurrent(50);
        first = cell.start("n-0", ReplayCell.GOOD);
        feed(51, 55);
        assertCurrent(55);
        for (int shard = 0; shard < SHARDS; shard++) {
            assertThat(cell.takeovers(shard))
                    .as("shard " + shard)
                    .extracting(takeover -> takeover.getOrigin().getGeneration())
                    .containsExactly(1, 3);
            assertPositionsOnce(shard);
        }
    }

    @Test
    @Order(5)
    void shouldLetOneOfSeveralOperatorsBegin() throws Exception {
        first.close();
        second.close();
        for (int time = 1; time <= 2; time++) {
            int generation = highest() + 1;
            assertThat(beginAtOnce(Instant.EPOCH, Instant.now(), Instant.EPOCH, Instant.now()))
                    .containsExactly(generation);
            try (var replay = new Replay(cell.bootstrapServers(), progress -> {});
                    var brokers = new Cell(cell.bootstrapServers())) {
                Map<Integer, Long> planned = replay.state().getReplay().getShardsList().stream()
                        .collect(Collectors.toMap(ShardStart::getShard, ShardStart::getFromOffset));
                assertThat(brokers.committed(Incarnation.applicationId(generation), Topics.RAW))
                        .as("begins where its own operator planned")
                        .isEqualTo(planned);
                replay.abort();
            }
        }
    }

    private static int highest() {
        try (var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
            return replay.state().getHighest();
        }
    }

    /** Loading the state of all shards of a thread may take longer than a transaction may. */
    @Test
    @Order(6)
    void shouldBeginOneShardInATransaction() {
        var committed = new CopyOnWriteArrayList<Integer>();
        var predecessors = new Predecessors() {
            @Override
            public void entries(int shard, long offset, BiConsumer<byte[], byte[]> each) {
                committed.add(awaitCommitted(committed.size()));
            }

            @Override
            public boolean isWanted(int generation) {
                return true;
            }
        };
        var starts = IntStream.range(0, SHARDS)
                .boxed()
                .collect(Collectors.toMap(shard -> shard, shard -> new Incarnation.Start(0, OptionalLong.of(0), 0, 0)));
        try (var streams =
                cell.streams("n-0", new Incarnation(LONE_GENERATION, starts), ReplayCell.GOOD, predecessors)) {
            streams.start();
            await().atMost(PATIENCE).until(() -> committed.size() == SHARDS);
        }
        assertThat(committed)
                .as("shards that were committed when the next one began")
                .containsExactlyElementsOf(IntStream.range(0, SHARDS).boxed().toList());
    }

    /** A commit is seen a moment after it was made. */
    private static int awaitCommitted(int shards) {
        try (var brokers = new Cell(cell.bootstrapServers())) {
            String group = Incarnation.applicationId(LONE_GENERATION);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
            while (brokers.committed(group, Topics.RAW).size() < shards && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
            return brokers.committed(group, Topics.RAW).size();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Numbers of the generations that were begun. */
    private static List<Integer> beginAtOnce(Instant... froms) throws Exception {
        var operators = Executors.newFixedThreadPool(froms.length);
        try {
            var begun = new ArrayList<Integer>();
            var attempts = new ArrayList<Callable<Integer>>();
            for (Instant from : froms) {
                attempts.add(() -> {
                    try (var replay = new Replay(cell.bootstrapServers(), progress -> {})) {
                        return replay.begin(from);
                    }
                });
            }
            for (var attempt : operators.invokeAll(attempts)) {
                try {
                    begun.add(attempt.get());
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).isInstanceOf(ReplayRefusedException.class);
                }
            }
            return begun;
        } finally {
            operators.shutdownNow();
        }
    }

    private static boolean isRemoved(Admin admin, String group) throws InterruptedException {
        try {
            admin.deleteConsumerGroups(List.of(group)).all().get();
            return true;
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOfAny(GroupNotEmptyException.class, GroupIdNotFoundException.class);
            return e.getCause() instanceof GroupIdNotFoundException;
        }
    }

    /** In two transactions, as long as one thread writes them. */
    private static void assertSnapshotsStandApart() {
        var reader = new SnapshotReader(cell.bootstrapServers());
        var takenMs = new HashMap<Long, List<Long>>();
        for (int shard = 0; shard < SHARDS; shard++) {
            reader.list(shard).stream()
                    .filter(snapshot -> snapshot.generation() == 1)
                    .forEach(snapshot -> takenMs.computeIfAbsent(snapshot.takenMs(), ms -> new ArrayList<>())
                            .add(snapshot.rawOffset()));
        }
        // Two instances, and so two threads.
        assertThat(takenMs.values()).allSatisfy(together -> assertThat(together).hasSizeLessThanOrEqualTo(2));
    }

    private static long recordsOf(int generation) {
        return IntStream.range(0, SHARDS)
                .mapToObj(cell::structured)
                .flatMap(List::stream)
                .filter(record ->
                        record.hasEvent() && record.getEvent().getOrigin().getGeneration() == generation)
                .count();
    }

    private static void assertPositionsOnce(int shard) {
        var seen = new HashSet<String>();
        for (StructuredRecord record : cell.structured(shard)) {
            Origin origin = record.hasEvent()
                    ? record.getEvent().getOrigin()
                    : record.hasGeneration()
                            ? record.getGeneration().getOrigin()
                            : record.getMarker().getOrigin();
            assertThat(seen.add(origin.getGeneration() + "/" + origin.getPos()))
                    .as("%s", origin)
                    .isTrue();
        }
    }

    private static void assertCurrent(int upTo) {
        for (int shard = 0; shard < SHARDS; shard++) {
            assertThat(cell.awaitCurrent(shard, upTo))
                    .as("shard " + shard)
                    .extracting(Envelope::getSeq)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.rangeClosed(1, upTo).boxed().toList());
        }
    }

    private static List<Long> feed(long from, long to) {
        return ONE_OF_EACH_SHARD.stream()
                .map(sensor -> cell.log()
                        .append(sensor, new RawRecords(sensor).range(0, 1, from, to))
                        .offset())
                .toList();
    }

    private static List<SensorKey> oneOfEachShard() {
        var sensors = new HashMap<Integer, SensorKey>();
        while (sensors.size() < SHARDS) {
            SensorKey sensor = TestLog.newSensor();
            sensors.putIfAbsent(TestLog.partitionOf(sensor), sensor);
        }
        return IntStream.range(0, SHARDS).mapToObj(sensors::get).toList();
    }
}
