package io.sallyport.export.core;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.ExtensionRegistryLite;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.util.Comparator;
import java.util.Optional;

/**
 * A record of `structured` on its way to a file.
 *
 * @param value its bytes; the record's payload is a view of them
 * @param date of the partition it belongs to
 */
public record Row(@SuppressWarnings("ArrayRecordComponent") byte[] value, StructuredRecord record, String date) {
    /** Objects around the bytes, roughly. */
    private static final int OVERHEAD_BYTES = 512;

    /**
     * Order of rows in a file, and of files: customer, date, then (sensor_id, epoch, seq). Markers stand before the events
     * of their epoch. Ids are ASCII, so that the order of their characters is that of their bytes.
     */
    public static final Comparator<Row> ORDER = Comparator.comparing(Row::customerId)
            .thenComparing(Row::date)
            .thenComparing(Row::sensorId)
            .thenComparingLong(Row::epoch)
            .thenComparingLong(Row::seq)
            .thenComparingLong(Row::generation)
            .thenComparingLong(row -> row.origin().getPos());

    /** Reads a value of `structured`; empty where it is none. */
    public static Optional<Row> parse(byte[] value) {
        try {
            CodedInputStream in = UnsafeByteOperations.unsafeWrap(value).newCodedInput();
            in.enableAliasing(true);
            StructuredRecord record = StructuredRecord.parseFrom(in, ExtensionRegistryLite.getEmptyRegistry());
            long us;
            switch (record.getRecordCase()) {
                case EVENT -> us = record.getEvent().getIngestTsUs();
                case MARKER -> us = record.getMarker().getAtUs();
                case GENERATION -> us = record.getGeneration().getAtUs();
                default -> {
                    return Optional.empty();
                }
            }
            return Optional.of(new Row(value, record, PartitionPath.date(us)));
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory can be read", e);
        }
    }

    public String customerId() {
        return record.hasEvent()
                ? record.getEvent().getCustomerId()
                : record.getMarker().getCustomerId();
    }

    public String sensorId() {
        return record.hasEvent()
                ? record.getEvent().getSensorId()
                : record.getMarker().getSensorId();
    }

    public long epoch() {
        return Integer.toUnsignedLong(
                record.hasEvent()
                        ? record.getEvent().getEpoch()
                        : record.getMarker().getEpoch());
    }

    private long seq() {
        return record.hasEvent() ? record.getEvent().getSeq() : 0;
    }

    public Origin origin() {
        return switch (record.getRecordCase()) {
            case EVENT -> record.getEvent().getOrigin();
            case GENERATION -> record.getGeneration().getOrigin();
            default -> record.getMarker().getOrigin();
        };
    }

    /** The takeover that the row states; empty where it states none, or one that cannot be. */
    public Optional<Position.Taken> takeover() {
        if (!record.hasGeneration()) {
            return Optional.empty();
        }
        try {
            ShardTakeover takeover = ShardTakeover.of(record.getGeneration());
            return Optional.of(new Position.Taken(
                    takeover.generation(),
                    takeover.fromOffset(),
                    takeover.toOffset(),
                    record.getGeneration().getSinceUs()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    public long generation() {
        return Integer.toUnsignedLong(origin().getGeneration());
    }

    /** What the row costs in memory, roughly. */
    public int memoryBytes() {
        return value.length + OVERHEAD_BYTES;
    }
}
