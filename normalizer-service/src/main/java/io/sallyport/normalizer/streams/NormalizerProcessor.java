package io.sallyport.normalizer.streams;

import io.sallyport.edge.streams.Alarm;
import io.sallyport.edge.streams.LogMadeAnewException;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.normalizer.core.Decision;
import io.sallyport.normalizer.core.Effect;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.SnapshotChunk;
import io.sallyport.proto.log.v1.Stage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the decision of each raw record and writes its effects, all in the task's transaction. It keeps nothing on the
 * heap between two records: what an aborted transaction took back must not be remembered.
 */
final class NormalizerProcessor implements Processor<byte[], byte[], byte[], Outgoing> {
    private static final Logger LOG = LoggerFactory.getLogger(NormalizerProcessor.class);

    private final Supplier<Decider> deciders;
    private final NormalizerMetrics metrics;
    private final String cell;
    private final Incarnation incarnation;
    private final Predecessors predecessors;
    private final SnapshotTurns turns;
    private final TreeHash treeHash = new TreeHash();
    private final LeafEncoder leaves = new LeafEncoder(treeHash);

    @SuppressWarnings("NullAway.Init") // set by init(), which Streams calls first
    private ProcessorContext<byte[], Outgoing> context;

    @SuppressWarnings("NullAway.Init")
    private KeyValueStore<Bytes, byte[]> store;

    @SuppressWarnings("NullAway.Init")
    private Alarm alarm;

    private @Nullable Decider decider;

    NormalizerProcessor(
            Supplier<Decider> deciders,
            NormalizerMetrics metrics,
            String cell,
            Incarnation incarnation,
            Predecessors predecessors,
            SnapshotTurns turns) {
        this.deciders = deciders;
        this.metrics = metrics;
        this.cell = cell;
        this.incarnation = incarnation;
        this.predecessors = predecessors;
        this.turns = turns;
    }

    @Override
    public void init(ProcessorContext<byte[], Outgoing> context) {
        this.context = context;
        this.store = context.getStateStore(NormalizerTopology.STORE);
        this.decider = deciders.get();
        this.alarm = new Alarm(context, this::ring);
        int shard = context.taskId().partition();
        Cursor cursor = Cursor.decode(store.get(StoreKeys.cursor(shard)));
        wake(shard, cursor, role(shard), context.currentSystemTimeMs());
    }

    private void ring(long nowMs) {
        int shard = context.taskId().partition();
        Cursor cursor = Cursor.decode(store.get(StoreKeys.cursor(shard)));
        Role role = role(shard);
        if (role != null && isCopied(cursor, role) && turns.take(shard, role.snapshotMs(), nowMs)) {
            cursor = closeSegment(shard, cursor, nowMs);
            role = copyState(shard, cursor, role, nowMs);
        } else if (cursor.open().dueMs(nowMs) <= nowMs) {
            cursor = closeSegment(shard, cursor, nowMs);
        }
        wake(shard, cursor, role, nowMs);
    }

    /** All else is decided when a record comes: holes too, by the time of a record and not by the clock. */
    private void wake(int shard, Cursor cursor, @Nullable Role role, long nowMs) {
        if (cursor.open().leaves() > 0) {
            alarm.at(cursor.open().dueMs(nowMs));
        }
        if (role != null && isCopied(cursor, role)) {
            alarm.at(turns.next(shard, role.snapshotMs(), nowMs));
        }
    }

    /** What a generation that is not live remembers is of no use to anybody yet. */
    private static boolean isCopied(Cursor cursor, Role role) {
        return role.phase() == Role.Phase.LIVE && cursor.lastOffset() >= 0;
    }

    /**
     * A segment of a quiet shard must not wait for its next record, and what a copy has in it stands in a segment: a replay
     * that goes on from the copy takes what came before for decided, however soon this generation ends.
     */
    private Cursor closeSegment(int shard, Cursor cursor, long nowMs) {
        if (cursor.open().leaves() == 0) {
            return cursor;
        }
        SegmentWriter segment = segment(shard, cursor, nowMs);
        segment.close();
        var closed = new Cursor(cursor.lastOffset(), cursor.lastMs(), cursor.nextPos(), segment.finish(nowMs));
        store.put(StoreKeys.cursor(shard), closed.encode());
        return closed;
    }

    /** A replay must find the state as it was before a bad build: so it is copied again and again. */
    private Role copyState(int shard, Cursor cursor, Role role, long nowMs) {
        long startNanos = System.nanoTime();
        var head = SnapshotChunk.newBuilder()
                .setShard(shard)
                .setGeneration(incarnation.generation())
                .setRawOffset(cursor.lastOffset())
                .setTakenMs(nowMs)
                .build();
        byte[] key = Integer.toString(shard).getBytes(StandardCharsets.US_ASCII);
        Snapshots.copy(
                store,
                head,
                chunk -> context.forward(
                        new Record<>(key, new Outgoing(shard, chunk.toByteArray()), nowMs),
                        NormalizerTopology.TO_SNAPSHOTS));
        Role copied = role.copied(nowMs);
        store.put(StoreKeys.role(shard), copied.encode());
        turns.done(nowMs, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos));
        // The next shard's copy stands in another transaction.
        context.commit();
        return copied;
    }

    /** What this generation is to the shard; null where it has not begun there. */
    private @Nullable Role role(int shard) {
        Role known = Role.decode(store.get(StoreKeys.role(shard)));
        // Stores of the first generation that were written before there were roles have none.
        boolean first = incarnation.generation() == 0 && store.get(StoreKeys.cursor(shard)) != null;
        return known == null && first ? Role.FIRST : known;
    }

    /** Begins a shard, in the transaction of its first record. */
    private Role begin(int shard) {
        Role role = beginning(shard);
        store.put(StoreKeys.role(shard), role.encode());
        return role;
    }

    private Role beginning(int shard) {
        if (!predecessors.isWanted(incarnation.generation())) {
            LOG.warn(
                    "generation {} has ended and begins nothing in shard {}",
                    Integer.toUnsignedString(incarnation.generation()),
                    shard);
            return Role.FIRST.fenced();
        }
        if (incarnation.generation() == 0) {
            return Role.FIRST;
        }
        Incarnation.Start start = incarnation.starts().get(shard);
        if (start == null) {
            throw new IllegalStateException(
                    "generation " + incarnation.generation() + " has no start in shard " + shard);
        }
        start.snapshotOffset()
                .ifPresent(offset ->
                        predecessors.entries(shard, offset, (key, value) -> store.put(Bytes.wrap(key), value)));
        var cursor = new Cursor(start.fromOffset() - 1, 0, 0, Cursor.Open.empty(0));
        store.put(StoreKeys.cursor(shard), cursor.encode());
        // The next shard begins in another transaction: see StreamsSettings, which lets one record come at a time.
        context.commit();
        return Role.begin(start);
    }

    private SegmentWriter segment(int shard, Cursor cursor, long timestampMs) {
        var tree = new TreeKey(cell, shard, incarnation.generation());
        byte[] key =
                (shard + "/" + Integer.toUnsignedString(incarnation.generation())).getBytes(StandardCharsets.US_ASCII);
        return new SegmentWriter(
                store,
                treeHash,
                tree,
                cursor,
                closed -> context.forward(
                        new Record<>(key, new Outgoing(shard, closed.toByteArray()), timestampMs),
                        NormalizerTopology.TO_PROOF));
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        RecordMetadata at = context.recordMetadata().orElseThrow();
        Role known = role(at.partition());
        Role role = known == null ? begin(at.partition()) : known;
        Bytes cursorKey = StoreKeys.cursor(at.partition());
        Cursor cursor = Cursor.decode(store.get(cursorKey));
        if (role.phase() == Role.Phase.FENCED) {
            return;
        }
        if (at.offset() <= cursor.lastOffset()) {
            // Where the group's offsets were lost: the store knows better, as long as it is of this log.
            LogMadeAnewException.refuse(
                    at.topic(), at.partition(), at.offset(), record.timestamp(), cursor.lastOffset(), cursor.lastMs());
            return;
        }
        Headers headers = record.headers();
        var raw = new RawRecord(
                record.timestamp(),
                record.key(),
                bytes(headers.lastHeader(RawHeaders.KIND)),
                bytes(headers.lastHeader(RawHeaders.STAMP)),
                record.value());
        var writer = new Writer(at, raw, segment(at.partition(), cursor, record.timestamp()), role);
        if (at.offset() > cursor.lastOffset() + 1) {
            writer.write(overrun(at, cursor));
            role = writer.become(role.incomplete());
        }
        OptionalLong fence = Role.fencing(raw);
        if (fence.isPresent()) {
            fence(writer, fence.getAsLong(), role);
        } else {
            Decision decision = Objects.requireNonNull(decider).decide(raw, sensor -> new StoredSensor(store, sensor));
            decision.effects().forEach(writer::write);
            if (role.phase() == Role.Phase.LIVE) {
                metrics.decided(decision);
            }
        }
        long nowMs = context.currentSystemTimeMs();
        var next = new Cursor(at.offset(), record.timestamp(), writer.segment.nextPos(), writer.segment.finish(nowMs));
        store.put(cursorKey, next.encode());
        wake(at.partition(), next, writer.role, nowMs);
        if (writer.role.phase() == Role.Phase.LIVE) {
            metrics.handled(at.partition(), at.offset(), record.timestamp());
        }
    }

    /** Fences of older generations say nothing new: they are met again by whoever derives that part of `raw` again. */
    private void fence(Writer writer, long generation, Role role) {
        int order = Long.compare(generation, Integer.toUnsignedLong(incarnation.generation()));
        if (order > 0) {
            writer.segment.close();
            writer.become(role.fenced());
        } else if (order == 0 && role.phase() == Role.Phase.CATCHING_UP) {
            writer.takeOver(role);
            writer.become(role.live());
        }
    }

    /** The offsets of `raw` are dense, since no transaction writes to it: what is skipped was thrown away unread. */
    private static Effect.Mark overrun(RecordMetadata at, Cursor cursor) {
        long from = cursor.lastOffset() + 1;
        return new Effect.Mark(
                Optional.empty(),
                0,
                List.of(),
                at.offset() - from,
                Stage.STAGE_NORMALIZER,
                Reason.RETENTION_OVERRUN,
                "partition " + at.partition() + ", offsets " + from + " to " + (at.offset() - 1));
    }

    private static byte @Nullable [] bytes(@Nullable Header header) {
        return header == null ? null : header.value();
    }

    @Override
    public void close() {
        // Streams closes a task that could not begin, too.
        if (alarm != null) {
            alarm.cancel();
        }
        if (decider != null) {
            decider.close();
            decider = null;
        }
    }

    /** Writes the effects of one raw record and counts positions. */
    private final class Writer {
        private final RecordMetadata at;
        private final RawRecord raw;
        private final Origin.Builder origin;
        private final SegmentWriter segment;
        private Role role;

        Writer(RecordMetadata at, RawRecord raw, SegmentWriter segment, Role role) {
            this.at = at;
            this.raw = raw;
            this.segment = segment;
            this.role = role;
            this.origin = Origin.newBuilder()
                    .setShard(at.partition())
                    .setGeneration(incarnation.generation())
                    .setRawPartition(at.partition())
                    .setRawOffset(at.offset());
        }

        void write(Effect effect) {
            long atUs = raw.appendMs() * 1_000;
            if (effect instanceof Effect.Commit commit) {
                byte[] key = commit.admission().sensor().topicKeyBytes();
                Envelope event = OutgoingRecords.event(commit, origin.setPos(segment.nextPos()));
                forward(NormalizerTopology.TO_STRUCTURED, key, OutgoingRecords.structured(event));
                segment.add(
                        event.getCustomerId(),
                        leaves.leaf(
                                event, event.getPayload().size(), commit.event().payloadSha256()));
            } else if (effect instanceof Effect.Mark mark) {
                byte[] key = OutgoingRecords.key(mark.sensor());
                CoverageMarker marker = OutgoingRecords.marker(mark, atUs, origin.setPos(segment.nextPos()));
                forward(NormalizerTopology.TO_STRUCTURED, key, OutgoingRecords.structured(marker));
                segment.add(marker.getCustomerId(), leaves.leaf(marker));
                forward(NormalizerTopology.TO_COVERAGE, key, marker.toByteArray());
                if (role.phase() == Role.Phase.LIVE) {
                    metrics.marked(marker);
                }
            } else if (effect instanceof Effect.Quarantine refused) {
                byte[] key = OutgoingRecords.key(refused.sensor());
                forward(NormalizerTopology.TO_QUARANTINE, key, OutgoingRecords.quarantined(refused, raw, atUs, origin));
                if (role.phase() == Role.Phase.LIVE) {
                    metrics.quarantined(refused.reason());
                }
            }
        }

        /** The record that tells readers of `structured`. */
        void takeOver(Role taking) {
            GenerationRecord record = GenerationRecord.newBuilder()
                    .setFromOffset(taking.start().fromOffset())
                    .setToOffset(at.offset())
                    .setComplete(taking.complete())
                    .setStructuredOffset(taking.start().structuredOffset())
                    .setAtUs(raw.appendMs() * 1_000)
                    .setSinceUs(taking.start().sinceMs() * 1_000)
                    .setOrigin(origin.clearRawIndex().setPos(segment.nextPos()))
                    .build();
            forward(
                    NormalizerTopology.TO_STRUCTURED,
                    OutgoingRecords.key(Optional.empty()),
                    OutgoingRecords.structured(record));
            segment.add("", leaves.leaf(record));
        }

        Role become(Role next) {
            role = next;
            store.put(StoreKeys.role(at.partition()), next.encode());
            return next;
        }

        private void forward(String child, byte[] key, byte[] value) {
            context.forward(new Record<>(key, new Outgoing(at.partition(), value), raw.appendMs()), child);
        }
    }
}
