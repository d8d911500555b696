package io.sallyport.e2e.replay;

import io.sallyport.broker.CommittedLog;
import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.BlockDecoder;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What a test reads of the log itself. */
final class Log {
    private final String bootstrapServers;

    Log(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    /** What sensors sent and the gateway took, by identity: decoded from the bytes, without the normalizer. */
    Map<String, String> sent() {
        var sent = new TreeMap<String, String>();
        try (var blocks = new BlockDecoder()) {
            for (int shard = 0; shard < TopicSizing.LOCAL.shardsMax(); shard++) {
                for (ConsumerRecord<byte[], byte[]> record : read(Topics.RAW.name(), shard)) {
                    String kind = new String(
                            record.headers().lastHeader(RawHeaders.KIND).value(), StandardCharsets.US_ASCII);
                    if (!kind.equals("BATCH")) {
                        continue;
                    }
                    ByteBuffer body = ByteBuffer.wrap(record.value());
                    BatchHeader header = BatchHeader.read(body).orElseThrow();
                    var block =
                            (BlockDecoder.Result.Decoded) blocks.decode(header.codec(), body, (int) header.rawLength());
                    var events = new EventCursor(block.block(), header.count());
                    String sensor = new String(record.key(), StandardCharsets.US_ASCII);
                    while (events.next()) {
                        var payload = new byte[events.payload().remaining()];
                        events.payload().duplicate().get(payload);
                        sent.put(
                                identity(sensor, header.epoch(), events.seq()),
                                new String(payload, StandardCharsets.ISO_8859_1));
                    }
                }
            }
        }
        return sent;
    }

    /** What a consumer has in the end that keeps the rule of generations; an identity that stands twice is an error. */
    Map<String, String> current() throws Exception {
        var found = new ArrayList<Envelope>();
        for (int shard = 0; shard < TopicSizing.LOCAL.shardsMax(); shard++) {
            var current = new CurrentRecords();
            var events = new ArrayList<Envelope>();
            for (ConsumerRecord<byte[], byte[]> record : read(Topics.STRUCTURED.name(), shard)) {
                StructuredRecord value = StructuredRecord.parseFrom(record.value());
                if (value.hasGeneration()) {
                    current.add(ShardTakeover.of(value.getGeneration()));
                } else if (value.hasEvent()) {
                    events.add(value.getEvent());
                }
            }
            events.removeIf(event -> current.of(event.getOrigin()) != CurrentRecords.Standing.CURRENT);
            found.addAll(events);
        }
        return byIdentity(found);
    }

    static Map<String, String> byIdentity(List<Envelope> events) {
        var byIdentity = new TreeMap<String, String>();
        for (Envelope event : events) {
            String identity = identity(
                    event.getCustomerId() + "/" + event.getSensorId(),
                    Integer.toUnsignedLong(event.getEpoch()),
                    event.getSeq());
            if (byIdentity.put(identity, event.getPayload().toString(StandardCharsets.ISO_8859_1)) != null) {
                throw new AssertionError(identity + " stands twice");
            }
        }
        return byIdentity;
    }

    private static String identity(String sensor, long epoch, long seq) {
        return "%s %d %010d".formatted(sensor, epoch, seq);
    }

    List<ConsumerRecord<byte[], byte[]>> read(String topic, int shard) {
        return CommittedLog.read(bootstrapServers, topic, shard);
    }
}
