package io.sallyport.normalizer.replay;

import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.CommittedLog;
import io.sallyport.broker.KraftBroker;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.generation.GenerationLog;
import io.sallyport.normalizer.generation.LoggedPredecessors;
import io.sallyport.normalizer.generation.RunningGenerations;
import io.sallyport.normalizer.generation.SnapshotReader;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import io.sallyport.normalizer.streams.Decider;
import io.sallyport.normalizer.streams.Incarnation;
import io.sallyport.normalizer.streams.NormalizerRun;
import io.sallyport.normalizer.streams.NormalizerStreams;
import io.sallyport.normalizer.streams.Predecessors;
import io.sallyport.normalizer.streams.StreamsSettings;
import io.sallyport.normalizer.streams.TestLog;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.topics.TopicAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;

/**
 * A broker of its own, since a takeover is one of the whole cell: other tests of this JVM run the first generation on the
 * shared one.
 */
final class ReplayCell implements AutoCloseable {
    static final Supplier<Decider> GOOD = Decider.dedupe(NormalizerRun.LIMITS, type -> type >= 2 && type <= 11);
    static final Supplier<Decider> BAD = () -> new CorruptingDecider(GOOD.get());

    private final Path dir;
    private final KraftBroker broker;
    private final TestLog log;

    ReplayCell(Path dir) throws Exception {
        this.dir = dir;
        broker = KraftBroker.start(dir.resolve("kafka"), 0);
        try (var topics = new TopicAdmin(bootstrapServers(), TopicSizing.LOCAL)) {
            topics.create();
        }
        log = new TestLog(bootstrapServers());
    }

    String bootstrapServers() {
        return broker.bootstrapServers();
    }

    TestLog log() {
        return log;
    }

    /** A normalizer as the service runs it, of a good or a bad build. */
    RunningGenerations start(Supplier<Decider> build) {
        return start("n-0", build);
    }

    RunningGenerations start(String instanceId, Supplier<Decider> build) {
        var generations = new RunningGenerations(
                bootstrapServers(), (incarnation, onGivingUp) -> streams(instanceId, incarnation, build), () -> {});
        generations.start();
        return generations;
    }

    NormalizerStreams streams(String instanceId, Incarnation incarnation, Supplier<Decider> build) {
        return streams(instanceId, incarnation, build, new LoggedPredecessors(bootstrapServers()));
    }

    NormalizerStreams streams(
            String instanceId, Incarnation incarnation, Supplier<Decider> build, Predecessors predecessors) {
        var meters = new SimpleMeterRegistry();
        return new NormalizerStreams(
                new StreamsSettings(
                        bootstrapServers(),
                        "test",
                        dir.resolve(instanceId),
                        new StreamsSettings.Instance(instanceId, "", NormalizerRun.SESSION_TIMEOUT_MS),
                        1,
                        50,
                        500,
                        TopicSizing.LOCAL),
                incarnation,
                build,
                predecessors,
                new NormalizerMetrics(meters, new Alerts(meters)),
                () -> {});
    }

    /** The generation that is on its way, for a normalizer that runs it alone. */
    Incarnation onItsWay() {
        try (var generations = new GenerationLog(bootstrapServers())) {
            var replay = generations.current().getReplay();
            var starts = new HashMap<Integer, Incarnation.Start>();
            replay.getShardsList()
                    .forEach(start -> starts.put(
                            start.getShard(),
                            new Incarnation.Start(
                                    start.getFromOffset(),
                                    start.hasSnapshotOffset()
                                            ? OptionalLong.of(start.getSnapshotOffset())
                                            : OptionalLong.empty(),
                                    start.getStructuredOffset(),
                                    start.getSinceMs())));
            return new Incarnation(replay.getGeneration(), starts);
        }
    }

    /** Retention takes the raw records of a shard below an offset. */
    void cutRaw(int shard, long offset) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
            admin.deleteRecords(
                            Map.of(new TopicPartition(Topics.RAW.name(), shard), RecordsToDelete.beforeOffset(offset)))
                    .all()
                    .get();
        }
    }

    /** How many records of a generation stand in a shard. */
    long written(int generation, int shard) {
        return structured(shard).stream()
                .map(ReplayCell::origin)
                .filter(origin -> origin.getGeneration() == generation)
                .count();
    }

    /** How many of them its segments have. */
    long proved(int generation, int shard) {
        return CommittedLog.read(bootstrapServers(), Topics.PROOF_SEGMENTS.name(), shard).stream()
                .map(record -> TestLog.parse(ProofSegment.parser(), record.value()))
                .filter(segment -> segment.getGeneration() == generation)
                .mapToLong(ProofSegment::getCount)
                .sum();
    }

    private static Origin origin(StructuredRecord record) {
        return switch (record.getRecordCase()) {
            case EVENT -> record.getEvent().getOrigin();
            case GENERATION -> record.getGeneration().getOrigin();
            default -> record.getMarker().getOrigin();
        };
    }

    List<StructuredRecord> structured(int shard) {
        return CommittedLog.read(bootstrapServers(), Topics.STRUCTURED.name(), shard).stream()
                .map(record -> TestLog.parse(StructuredRecord.parser(), record.value()))
                .toList();
    }

    List<GenerationRecord> takeovers(int shard) {
        return structured(shard).stream()
                .filter(StructuredRecord::hasGeneration)
                .map(StructuredRecord::getGeneration)
                .toList();
    }

    /** What a reader that keeps the rule has in the end. */
    List<Envelope> current(int shard) {
        var current = new CurrentRecords();
        var events = new ArrayList<Envelope>();
        for (StructuredRecord record : structured(shard)) {
            if (record.hasGeneration()) {
                current.add(ShardTakeover.of(record.getGeneration()));
            } else if (record.hasEvent()) {
                events.add(record.getEvent());
            }
        }
        events.removeIf(event -> current.of(event.getOrigin()) != CurrentRecords.Standing.CURRENT);
        return events;
    }

    List<Envelope> awaitCurrent(int shard, int count) {
        return await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> current(shard), events -> events.size() >= count);
    }

    /** Waits until a record and everything before it is in a snapshot. */
    void awaitSnapshot(int shard, long rawOffset) {
        var snapshots = new SnapshotReader(bootstrapServers());
        await().atMost(Duration.ofSeconds(60))
                .until(() -> snapshots.list(shard).stream().anyMatch(snapshot -> snapshot.rawOffset() >= rawOffset));
    }

    /** Waits until a generation has committed a raw record. */
    void awaitHandled(int generation, int shard, long rawOffset) throws InterruptedException {
        try (var cell = new Cell(bootstrapServers())) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> cell.committed(Incarnation.applicationId(generation), Topics.RAW)
                                    .getOrDefault(shard, 0L)
                            > rawOffset);
        }
    }

    /** Waits until a generation has committed everything there is. */
    void awaitHandled(int generation) throws InterruptedException {
        try (var cell = new Cell(bootstrapServers())) {
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                var committed = cell.committed(Incarnation.applicationId(generation), Topics.RAW);
                return cell.offsets(Topics.RAW, OffsetSpec.latest()).entrySet().stream()
                        .allMatch(end -> committed.getOrDefault(end.getKey(), 0L) >= end.getValue());
            });
        }
    }

    @Override
    public void close() {
        log.close();
        broker.close();
    }
}
