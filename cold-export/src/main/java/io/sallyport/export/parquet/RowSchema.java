package io.sallyport.export.parquet;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * The columns of a row, and the way back. Every field that a leaf covers is a column, unchanged, so that the leaf can be
 * computed from the row alone. Events and markers share one table: what only one of them has is null in the other. Times
 * are microseconds as they were sent, and not timestamps, since a sensor may send any 64-bit number.
 */
public final class RowSchema {
    static final String EVENT = "event";
    static final String MARKER = "marker";
    static final String GENERATION = "generation";
    static final String PAYLOAD = "payload";
    static final String SENSOR_ID = "sensor_id";

    private static final Schema RANGE = SchemaBuilder.record("seq_range")
            .namespace("io.sallyport")
            .fields()
            .requiredLong("from_seq")
            .requiredLong("to_seq")
            .endRecord();

    /** The columns, in order. Columns are only added, at the end. */
    static final Schema ROW = SchemaBuilder.record("row")
            .namespace("io.sallyport")
            .fields()
            .requiredString("kind")
            .requiredString("customer_id")
            .requiredString(SENSOR_ID)
            .requiredLong("epoch")
            .optionalLong("seq")
            .optionalLong("event_type")
            .optionalLong("payload_schema")
            .optionalLong("event_ts_us")
            .optionalLong("ingest_ts_us")
            .optionalBoolean("replay")
            .optionalBoolean("renumbered")
            .optionalBoolean("clock_skew")
            .optionalBytes(PAYLOAD)
            .requiredInt("shard")
            .requiredLong("generation")
            .requiredLong("pos")
            .requiredInt("raw_partition")
            .requiredLong("raw_offset")
            .requiredLong("raw_index")
            .name("marker_ranges")
            .type()
            .optional()
            .array()
            .items(RANGE)
            .optionalLong("marker_count")
            .optionalInt("marker_stage")
            .optionalInt("marker_reason")
            .optionalString("marker_reason_name")
            .optionalString("marker_detail")
            .optionalLong("marker_at_us")
            .optionalLong("takeover_from_offset")
            .optionalLong("takeover_to_offset")
            .optionalBoolean("takeover_complete")
            .optionalLong("takeover_structured_offset")
            .optionalLong("takeover_since_us")
            .optionalLong("takeover_at_us")
            .endRecord();

    private RowSchema() {}

    static GenericRecord toColumns(StructuredRecord record) {
        var row = new GenericData.Record(ROW);
        switch (record.getRecordCase()) {
            case EVENT -> event(row, record.getEvent());
            case GENERATION -> takeover(row, record.getGeneration());
            default -> marker(row, record.getMarker());
        }
        return row;
    }

    private static void event(GenericRecord row, Envelope event) {
        row.put("kind", EVENT);
        row.put("customer_id", event.getCustomerId());
        row.put(SENSOR_ID, event.getSensorId());
        row.put("epoch", Integer.toUnsignedLong(event.getEpoch()));
        row.put("seq", event.getSeq());
        row.put("event_type", Integer.toUnsignedLong(event.getEventType()));
        row.put("payload_schema", Integer.toUnsignedLong(event.getPayloadSchema()));
        row.put("event_ts_us", event.getEventTsUs());
        row.put("ingest_ts_us", event.getIngestTsUs());
        row.put("replay", event.getReplay());
        row.put("renumbered", event.getRenumbered());
        row.put("clock_skew", event.getClockSkew());
        row.put(PAYLOAD, event.getPayload().asReadOnlyByteBuffer());
        origin(row, event.getOrigin());
    }

    private static void marker(GenericRecord row, CoverageMarker marker) {
        row.put("kind", MARKER);
        row.put("customer_id", marker.getCustomerId());
        row.put(SENSOR_ID, marker.getSensorId());
        row.put("epoch", Integer.toUnsignedLong(marker.getEpoch()));
        var ranges = new ArrayList<GenericRecord>();
        for (SeqRange range : marker.getRangesList()) {
            var columns = new GenericData.Record(RANGE);
            columns.put("from_seq", range.getFrom());
            columns.put("to_seq", range.getTo());
            ranges.add(columns);
        }
        row.put("marker_ranges", ranges);
        row.put("marker_count", marker.getCount());
        row.put("marker_stage", marker.getStageValue());
        row.put("marker_reason", marker.getReasonValue());
        Reason reason = marker.getReason();
        row.put("marker_reason_name", reason == Reason.UNRECOGNIZED ? "" : reason.name());
        row.put("marker_detail", marker.getDetail());
        row.put("marker_at_us", marker.getAtUs());
        origin(row, marker.getOrigin());
    }

    private static void takeover(GenericRecord row, GenerationRecord takeover) {
        row.put("kind", GENERATION);
        row.put("customer_id", "");
        row.put(SENSOR_ID, "");
        row.put("epoch", 0L);
        row.put("takeover_from_offset", takeover.getFromOffset());
        row.put("takeover_to_offset", takeover.getToOffset());
        row.put("takeover_complete", takeover.getComplete());
        row.put("takeover_structured_offset", takeover.getStructuredOffset());
        row.put("takeover_since_us", takeover.getSinceUs());
        row.put("takeover_at_us", takeover.getAtUs());
        origin(row, takeover.getOrigin());
    }

    private static void origin(GenericRecord row, Origin origin) {
        row.put("shard", origin.getShard());
        row.put("generation", Integer.toUnsignedLong(origin.getGeneration()));
        row.put("pos", origin.getPos());
        row.put("raw_partition", origin.getRawPartition());
        row.put("raw_offset", origin.getRawOffset());
        row.put("raw_index", Integer.toUnsignedLong(origin.getRawIndex()));
    }

    /**
     * The record that a row came from.
     *
     * @throws IOException where it is not one of this table's rows
     */
    static StructuredRecord toRecord(GenericRecord row) throws IOException {
        try {
            String kind = text(row, "kind");
            return switch (kind) {
                case EVENT -> StructuredRecord.newBuilder().setEvent(event(row)).build();
                case MARKER ->
                    StructuredRecord.newBuilder().setMarker(marker(row)).build();
                case GENERATION ->
                    StructuredRecord.newBuilder().setGeneration(takeover(row)).build();
                default -> throw new IOException("a row of unknown kind");
            };
        } catch (NullPointerException | ClassCastException | org.apache.avro.AvroRuntimeException e) {
            throw new IOException("a row lacks a column", e);
        }
    }

    private static Envelope event(GenericRecord row) {
        return Envelope.newBuilder()
                .setCustomerId(text(row, "customer_id"))
                .setSensorId(text(row, SENSOR_ID))
                .setEpoch((int) number(row, "epoch"))
                .setSeq(number(row, "seq"))
                .setEventType((int) number(row, "event_type"))
                .setPayloadSchema((int) number(row, "payload_schema"))
                .setEventTsUs(number(row, "event_ts_us"))
                .setIngestTsUs(number(row, "ingest_ts_us"))
                .setReplay((Boolean) row.get("replay"))
                .setRenumbered((Boolean) row.get("renumbered"))
                .setClockSkew((Boolean) row.get("clock_skew"))
                .setPayload(bytes((ByteBuffer) row.get(PAYLOAD)))
                .setOrigin(origin(row))
                .build();
    }

    private static CoverageMarker marker(GenericRecord row) {
        var marker = CoverageMarker.newBuilder()
                .setCustomerId(text(row, "customer_id"))
                .setSensorId(text(row, SENSOR_ID))
                .setEpoch((int) number(row, "epoch"))
                .setCount(number(row, "marker_count"))
                .setStageValue((Integer) row.get("marker_stage"))
                .setReasonValue((Integer) row.get("marker_reason"))
                .setDetail(text(row, "marker_detail"))
                .setAtUs(number(row, "marker_at_us"))
                .setOrigin(origin(row));
        for (Object range : (List<?>) row.get("marker_ranges")) {
            marker.addRanges(SeqRange.newBuilder()
                    .setFrom(number((GenericRecord) range, "from_seq"))
                    .setTo(number((GenericRecord) range, "to_seq")));
        }
        return marker.build();
    }

    private static GenerationRecord takeover(GenericRecord row) {
        return GenerationRecord.newBuilder()
                .setFromOffset(number(row, "takeover_from_offset"))
                .setToOffset(number(row, "takeover_to_offset"))
                .setComplete((Boolean) row.get("takeover_complete"))
                .setStructuredOffset(number(row, "takeover_structured_offset"))
                .setSinceUs(number(row, "takeover_since_us"))
                .setAtUs(number(row, "takeover_at_us"))
                .setOrigin(origin(row))
                .build();
    }

    private static Origin origin(GenericRecord row) {
        return Origin.newBuilder()
                .setShard((Integer) row.get("shard"))
                .setGeneration((int) number(row, "generation"))
                .setPos(number(row, "pos"))
                .setRawPartition((Integer) row.get("raw_partition"))
                .setRawOffset(number(row, "raw_offset"))
                .setRawIndex((int) number(row, "raw_index"))
                .build();
    }

    private static long number(GenericRecord row, String column) {
        return (Long) row.get(column);
    }

    private static String text(GenericRecord row, String column) {
        return row.get(column).toString();
    }

    private static ByteString bytes(ByteBuffer buffer) {
        return UnsafeByteOperations.unsafeWrap(buffer);
    }
}
