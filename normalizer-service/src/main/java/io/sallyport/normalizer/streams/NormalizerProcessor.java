package io.sallyport.normalizer.streams;

import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.normalizer.core.Decision;
import io.sallyport.normalizer.core.Dedupe;
import io.sallyport.normalizer.core.Effect;
import io.sallyport.normalizer.core.Limits;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * Runs the decision of each raw record and writes its effects, all in the task's transaction. It keeps nothing on the
 * heap between two records: what an aborted transaction took back must not be remembered.
 */
final class NormalizerProcessor implements Processor<byte[], byte[], byte[], Outgoing> {
    private static final Duration CLOSE_EVERY = Duration.ofMillis(250);

    private final Limits limits;
    private final IntPredicate registered;
    private final NormalizerMetrics metrics;
    private final String cell;
    private final int generation;
    private final TreeHash treeHash = new TreeHash();
    private final LeafEncoder leaves = new LeafEncoder(treeHash);

    @SuppressWarnings("NullAway.Init") // set by init(), which Streams calls first
    private ProcessorContext<byte[], Outgoing> context;

    @SuppressWarnings("NullAway.Init")
    private KeyValueStore<Bytes, byte[]> store;

    private @Nullable Dedupe dedupe;

    NormalizerProcessor(
            Limits limits, IntPredicate registered, NormalizerMetrics metrics, String cell, int generation) {
        this.limits = limits;
        this.registered = registered;
        this.metrics = metrics;
        this.cell = cell;
        this.generation = generation;
    }

    @Override
    public void init(ProcessorContext<byte[], Outgoing> context) {
        this.context = context;
        this.store = context.getStateStore(NormalizerTopology.STORE);
        this.dedupe = new Dedupe(limits, registered);
        context.schedule(CLOSE_EVERY, PunctuationType.WALL_CLOCK_TIME, this::closeDueSegment);
    }

    /** A segment of a quiet shard must not wait for its next record. */
    private void closeDueSegment(long nowMs) {
        int shard = context.taskId().partition();
        Bytes cursorKey = StoreKeys.cursor(shard);
        Cursor cursor = Cursor.decode(store.get(cursorKey));
        long openMs = nowMs - cursor.open().sinceMs();
        // Below zero, the clock was set back or the shard came from another machine.
        if (cursor.open().leaves() > 0 && (openMs >= OpenSegment.MAX_OPEN_MS || openMs < 0)) {
            SegmentWriter segment = segment(shard, cursor, nowMs);
            segment.close();
            store.put(cursorKey, new Cursor(cursor.lastOffset(), cursor.nextPos(), segment.finish(nowMs)).encode());
        }
    }

    private SegmentWriter segment(int shard, Cursor cursor, long timestampMs) {
        var tree = new TreeKey(cell, shard, generation);
        byte[] key = (shard + "/" + generation).getBytes(StandardCharsets.US_ASCII);
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
        Bytes cursorKey = StoreKeys.cursor(at.partition());
        Cursor cursor = Cursor.decode(store.get(cursorKey));
        Headers headers = record.headers();
        var raw = new RawRecord(
                record.timestamp(),
                record.key(),
                bytes(headers.lastHeader(RawHeaders.KIND)),
                bytes(headers.lastHeader(RawHeaders.STAMP)),
                record.value());
        var writer = new Writer(at, raw, segment(at.partition(), cursor, record.timestamp()));
        if (at.offset() > cursor.lastOffset() + 1) {
            writer.write(overrun(at, cursor));
        }
        Decision decision = Objects.requireNonNull(dedupe).decide(raw, sensor -> new StoredSensor(store, sensor));
        decision.effects().forEach(writer::write);
        Cursor.Open open = writer.segment.finish(context.currentSystemTimeMs());
        store.put(cursorKey, new Cursor(at.offset(), writer.segment.nextPos(), open).encode());
        metrics.decided(decision);
        metrics.handled(at.partition(), at.offset(), record.timestamp());
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
        if (dedupe != null) {
            dedupe.close();
            dedupe = null;
        }
    }

    /** Writes the effects of one raw record and counts positions. */
    private final class Writer {
        private final RecordMetadata at;
        private final RawRecord raw;
        private final Origin.Builder origin;
        private final SegmentWriter segment;

        Writer(RecordMetadata at, RawRecord raw, SegmentWriter segment) {
            this.at = at;
            this.raw = raw;
            this.segment = segment;
            this.origin = Origin.newBuilder()
                    .setShard(at.partition())
                    .setGeneration(generation)
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
                metrics.marked(marker);
            } else if (effect instanceof Effect.Quarantine refused) {
                byte[] key = OutgoingRecords.key(refused.sensor());
                forward(NormalizerTopology.TO_QUARANTINE, key, OutgoingRecords.quarantined(refused, raw, atUs, origin));
                metrics.quarantined(refused.reason());
            }
        }

        private void forward(String child, byte[] key, byte[] value) {
            context.forward(new Record<>(key, new Outgoing(at.partition(), value), raw.appendMs()), child);
        }
    }
}
