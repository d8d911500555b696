package io.sallyport.normalizer.streams;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.normalizer.core.Effect;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.core.RecordDecoder;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.Stamp;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Effects as records of their topics. Payloads are copied once, into the record itself. */
final class OutgoingRecords {
    /** Key of what belongs to no sensor, or to one that the record does not tell. */
    static final byte[] NO_SENSOR = "-".getBytes(StandardCharsets.US_ASCII);
    /** Keeps a quarantine record within its topic's limit; `original` names every event anyway. */
    private static final int QUARANTINE_RANGES = 2_048;

    private OutgoingRecords() {}

    static byte[] key(Optional<SensorKey> sensor) {
        return sensor.map(SensorKey::topicKeyBytes).orElse(NO_SENSOR);
    }

    static Envelope event(Effect.Commit commit, Origin.Builder origin) {
        Effect.Admission admission = commit.admission();
        Effect.Event event = commit.event();
        return Envelope.newBuilder()
                .setCustomerId(admission.sensor().customerId())
                .setSensorId(admission.sensor().sensorId())
                .setEpoch((int) admission.epoch())
                .setSeq(event.seq())
                .setEventType(event.type())
                .setPayloadSchema(event.payloadSchema())
                .setEventTsUs(event.eventTsUs())
                .setIngestTsUs(admission.ingestTsUs())
                // A view: the record below is built before the block's buffer is used again.
                .setPayload(UnsafeByteOperations.unsafeWrap(event.payload()))
                .setReplay(admission.replay())
                .setRenumbered(admission.renumbered())
                .setClockSkew(commit.clockSkew())
                .setOrigin(origin.setRawIndex(commit.index()))
                .build();
    }

    static CoverageMarker marker(Effect.Mark mark, long atUs, Origin.Builder origin) {
        var marker = CoverageMarker.newBuilder()
                .setEpoch((int) mark.epoch())
                .setCount(mark.count())
                .setStage(mark.stage())
                .setReason(mark.reason())
                .setDetail(mark.detail())
                .setAtUs(atUs)
                .setOrigin(origin.clearRawIndex());
        mark.sensor()
                .ifPresent(sensor -> marker.setCustomerId(sensor.customerId()).setSensorId(sensor.sensorId()));
        mark.ranges().forEach(range -> marker.addRanges(toProto(range)));
        return marker.build();
    }

    static byte[] structured(Envelope event) {
        return StructuredRecord.newBuilder().setEvent(event).build().toByteArray();
    }

    static byte[] structured(CoverageMarker marker) {
        return StructuredRecord.newBuilder().setMarker(marker).build().toByteArray();
    }

    static byte[] structured(GenerationRecord takeover) {
        return StructuredRecord.newBuilder().setGeneration(takeover).build().toByteArray();
    }

    static byte[] quarantined(Effect.Quarantine refused, RawRecord raw, long atUs, Origin.Builder origin) {
        var record = Quarantined.newBuilder()
                .setEpoch((int) refused.epoch())
                .setReason(refused.reason())
                .setDetail(refused.detail())
                .setOriginal(UnsafeByteOperations.unsafeWrap(refused.original().bytes()))
                .setAtUs(atUs)
                .setOrigin(origin.clearPos().setRawIndex(refused.original().index()));
        refused.sensor()
                .ifPresent(sensor -> record.setCustomerId(sensor.customerId()).setSensorId(sensor.sensorId()));
        RecordDecoder.kindText(raw.kind()).ifPresent(record::setRawKind);
        if (raw.stamp() != null) {
            record.setRawStamp(
                    refused.original().whole() ? ByteString.copyFrom(raw.stamp()) : withoutIndexes(raw.stamp()));
        }
        if (raw.key() != null && !Arrays.equals(raw.key(), key(refused.sensor()))) {
            record.setRawKey(ByteString.copyFrom(raw.key()));
        }
        List<SeqRange> ranges = refused.ranges();
        ranges.subList(0, Math.min(ranges.size(), QUARANTINE_RANGES))
                .forEach(range -> record.addRanges(toProto(range)));
        return record.build().toByteArray();
    }

    /** The stamp of single events: it spoke of indexes of the block they came from. */
    private static ByteString withoutIndexes(byte[] stamp) {
        try {
            return Stamp.parseFrom(stamp).toBuilder()
                    .clearDroppedIndexes()
                    .build()
                    .toByteString();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("single events are refused only of a readable record", e);
        }
    }

    private static io.sallyport.proto.log.v1.SeqRange toProto(SeqRange range) {
        return io.sallyport.proto.log.v1.SeqRange.newBuilder()
                .setFrom(range.from())
                .setTo(range.to())
                .build();
    }
}
