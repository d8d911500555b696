package io.sallyport.session.kafka;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Stamp;
import io.sallyport.session.core.SensorRoute;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** How a record of `raw` looks, and how large it can become. */
public final class RawRecords {
    /** Fixed part of a record batch, and lengths, offsets and header names of one record, rounded up. */
    private static final int RECORD_OVERHEAD_BYTES = 256;
    /** A stamp without its dropped indexes, rounded up. */
    private static final int STAMP_BYTES = 256;
    /** Largest varint of an index below 65,536. */
    private static final int INDEX_BYTES = 3;

    private static final Map<RawKind, byte[]> KINDS = new EnumMap<>(RawKind.class);

    static {
        for (RawKind kind : RawKind.values()) {
            KINDS.put(kind, kind.name().getBytes(StandardCharsets.US_ASCII));
        }
    }

    private RawRecords() {}

    /** The largest record that a frame within {@code limits} leads to, with every event of its block dropped. */
    public static long maxBytes(LinkLimits limits) {
        return limits.maxFrameBytes()
                + 2L * SensorKey.MAX_ID_BYTES
                + RECORD_OVERHEAD_BYTES
                + STAMP_BYTES
                + (long) INDEX_BYTES * limits.maxBatchEvents();
    }

    static ProducerRecord<byte[], byte[]> record(
            SensorRoute route, int partition, RawKind kind, byte[] value, Stamp stamp) {
        var headers = new RecordHeaders();
        headers.add(new RecordHeader(RawHeaders.KIND, KINDS.get(kind)));
        headers.add(new RecordHeader(RawHeaders.STAMP, stamp.toByteArray()));
        return new ProducerRecord<>(Topics.RAW.name(), partition, null, route.topicKey(), value, headers);
    }
}
