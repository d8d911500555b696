package io.sallyport.normalizer.streams;

import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.normalizer.core.Decision;
import io.sallyport.normalizer.core.Dedupe;
import io.sallyport.normalizer.core.Effect;
import io.sallyport.normalizer.core.Limits;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stage;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
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
    private final Limits limits;
    private final IntPredicate registered;
    private final NormalizerMetrics metrics;
    private final int generation;

    @SuppressWarnings("NullAway.Init") // set by init(), which Streams calls first
    private ProcessorContext<byte[], Outgoing> context;

    @SuppressWarnings("NullAway.Init")
    private KeyValueStore<Bytes, byte[]> store;

    private @Nullable Dedupe dedupe;

    NormalizerProcessor(Limits limits, IntPredicate registered, NormalizerMetrics metrics, int generation) {
        this.limits = limits;
        this.registered = registered;
        this.metrics = metrics;
        this.generation = generation;
    }

    @Override
    public void init(ProcessorContext<byte[], Outgoing> context) {
        this.context = context;
        this.store = context.getStateStore(NormalizerTopology.STORE);
        this.dedupe = new Dedupe(limits, registered);
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
        var writer = new Writer(at, raw, cursor.nextPos());
        if (at.offset() > cursor.lastOffset() + 1) {
            writer.write(overrun(at, cursor));
        }
        Decision decision = Objects.requireNonNull(dedupe).decide(raw, sensor -> new StoredSensor(store, sensor));
        decision.effects().forEach(writer::write);
        store.put(cursorKey, new Cursor(at.offset(), writer.pos).encode());
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
        private long pos;

        Writer(RecordMetadata at, RawRecord raw, long pos) {
            this.at = at;
            this.raw = raw;
            this.pos = pos;
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
                forward(NormalizerTopology.TO_STRUCTURED, key, OutgoingRecords.event(commit, origin.setPos(pos++)));
            } else if (effect instanceof Effect.Mark mark) {
                byte[] key = OutgoingRecords.key(mark.sensor());
                CoverageMarker marker = OutgoingRecords.marker(mark, atUs, origin.setPos(pos++));
                forward(NormalizerTopology.TO_STRUCTURED, key, OutgoingRecords.structured(marker));
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
