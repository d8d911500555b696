package io.sallyport.envelope.proof;

import com.google.protobuf.ByteString;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Leaf of a structured record: the hash of a versioned, length-prefixed encoding of every field, the payload as its
 * length and SHA-256. It is an encoding of its own, since a protobuf message has more than one.
 *
 * <pre>
 * leaf     = version u8, kind u8 (1 event, 2 marker, 5 generation), origin, body
 * origin   = shard u32, generation u32, pos u64, raw_partition u32, raw_offset u64, raw_index u32
 * event    = customer_id text, sensor_id text, epoch u32, seq u64, event_type u32, payload_schema u32, event_ts_us i64,
 *            ingest_ts_us i64, flags u8 (1 replay, 2 renumbered, 4 clock_skew), payload length u32, payload SHA-256
 * marker   = customer_id text, sensor_id text, epoch u32, ranges u32 and for each from u64, to u64, count u64, stage u32,
 *            reason u32, detail text, at_us i64
 * generation = from_offset u64, to_offset u64, complete u8, structured_offset u64, at_us i64,
 *            since_us i64
 * text     = length u32, UTF-8 bytes
 * </pre>
 *
 * All numbers big-endian. One instance belongs to one thread.
 */
public final class LeafEncoder {
    /** Of the encoding; a field that is added to the records needs the next one. */
    public static final int VERSION = 1;

    private static final byte EVENT = 1;
    private static final byte MARKER = 2;
    private static final byte GENERATION = 5;
    private static final int FIXED_BYTES = 256;
    private static final int RANGE_BYTES = 16;

    private final TreeHash hash;
    private final MessageDigest sha256;
    private ByteBuffer out = ByteBuffer.allocate(4 * FIXED_BYTES);

    public LeafEncoder(TreeHash hash) {
        this.hash = hash;
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Whether version {@value #VERSION} covers everything in the record. A record with a field that it does not know could
     * be changed without a trace, so a verifier must not accept it.
     */
    public static boolean covers(StructuredRecord record) {
        if (record.hasEvent()) {
            return isKnown(record)
                    && record.getEvent().getUnknownFields().asMap().isEmpty()
                    && originIsKnown(record.getEvent().getOrigin());
        }
        if (record.hasGeneration()) {
            return isKnown(record)
                    && record.getGeneration().getUnknownFields().asMap().isEmpty()
                    && originIsKnown(record.getGeneration().getOrigin());
        }
        return record.hasMarker()
                && isKnown(record)
                && record.getMarker().getUnknownFields().asMap().isEmpty()
                && record.getMarker().getRangesList().stream()
                        .allMatch(range -> range.getUnknownFields().asMap().isEmpty())
                && originIsKnown(record.getMarker().getOrigin());
    }

    private static boolean isKnown(StructuredRecord record) {
        return record.getUnknownFields().asMap().isEmpty();
    }

    private static boolean originIsKnown(Origin origin) {
        return origin.getUnknownFields().asMap().isEmpty();
    }

    /**
     * Leaf hash of a record.
     *
     * @throws IllegalArgumentException where it is of no known kind
     */
    public byte[] leaf(StructuredRecord record) {
        if (record.hasEvent()) {
            ByteString payload = record.getEvent().getPayload();
            sha256.update(payload.asReadOnlyByteBuffer());
            return leaf(record.getEvent(), payload.size(), sha256.digest());
        }
        if (record.hasMarker()) {
            return leaf(record.getMarker());
        }
        if (record.hasGeneration()) {
            return leaf(record.getGeneration());
        }
        throw new IllegalArgumentException("a record of no known kind");
    }

    /**
     * Leaf hash of an event whose payload was digested already.
     *
     * @param event its payload is not looked at
     * @param payloadSha256 of its {@code payloadBytes} bytes
     */
    public byte[] leaf(Envelope event, int payloadBytes, byte[] payloadSha256) {
        begin(
                EVENT,
                event.getOrigin(),
                event.getCustomerIdBytes().size() + event.getSensorIdBytes().size());
        text(event.getCustomerIdBytes());
        text(event.getSensorIdBytes());
        out.putInt(event.getEpoch())
                .putLong(event.getSeq())
                .putInt(event.getEventType())
                .putInt(event.getPayloadSchema())
                .putLong(event.getEventTsUs())
                .putLong(event.getIngestTsUs())
                .put((byte) ((event.getReplay() ? 1 : 0)
                        | (event.getRenumbered() ? 2 : 0)
                        | (event.getClockSkew() ? 4 : 0)))
                .putInt(payloadBytes)
                .put(payloadSha256, 0, 32);
        return hash.leaf(out.array(), out.position());
    }

    /** Leaf hash of a marker. */
    public byte[] leaf(CoverageMarker marker) {
        begin(
                MARKER,
                marker.getOrigin(),
                marker.getCustomerIdBytes().size()
                        + marker.getSensorIdBytes().size()
                        + marker.getDetailBytes().size()
                        + marker.getRangesCount() * RANGE_BYTES);
        text(marker.getCustomerIdBytes());
        text(marker.getSensorIdBytes());
        out.putInt(marker.getEpoch()).putInt(marker.getRangesCount());
        for (SeqRange range : marker.getRangesList()) {
            out.putLong(range.getFrom()).putLong(range.getTo());
        }
        out.putLong(marker.getCount()).putInt(marker.getStageValue()).putInt(marker.getReasonValue());
        text(marker.getDetailBytes());
        out.putLong(marker.getAtUs());
        return hash.leaf(out.array(), out.position());
    }

    /** Leaf hash of a takeover. */
    public byte[] leaf(GenerationRecord generation) {
        begin(GENERATION, generation.getOrigin(), 0);
        out.putLong(generation.getFromOffset())
                .putLong(generation.getToOffset())
                .put((byte) (generation.getComplete() ? 1 : 0))
                .putLong(generation.getStructuredOffset())
                .putLong(generation.getAtUs())
                .putLong(generation.getSinceUs());
        return hash.leaf(out.array(), out.position());
    }

    private void begin(byte kind, Origin origin, int variableBytes) {
        if (out.capacity() < FIXED_BYTES + variableBytes) {
            out = ByteBuffer.allocate(2 * (FIXED_BYTES + variableBytes));
        }
        out.clear();
        out.put((byte) VERSION)
                .put(kind)
                .putInt(origin.getShard())
                .putInt(origin.getGeneration())
                .putLong(origin.getPos())
                .putInt(origin.getRawPartition())
                .putLong(origin.getRawOffset())
                .putInt(origin.getRawIndex());
    }

    private void text(ByteString utf8) {
        out.putInt(utf8.size());
        utf8.copyTo(out);
    }
}
