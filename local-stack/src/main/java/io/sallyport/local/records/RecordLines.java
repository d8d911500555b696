package io.sallyport.local.records;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Prints records of any topic as JSON lines. `kind` is `event`, `marker` or `control`; the fields of the value stand
 * beside it under their names in the schema. A value that does not decode is printed as base64: a reader never stops
 * at one. Not thread-safe.
 */
public final class RecordLines implements AutoCloseable {
    private static final String EVENT = "event";
    private static final String MARKER = "marker";
    private static final String CONTROL = "control";

    private final RecordFilter filter;
    private final RawFields raw = new RawFields();

    public RecordLines(RecordFilter filter) {
        this.filter = filter;
    }

    /** The line of a record, without its line break; empty where the filter leaves the record out. */
    public Optional<String> line(ConsumerRecord<byte[], byte[]> record) {
        String topic = record.topic();
        if (!filter.takesKey(topic, record.key())) {
            return Optional.empty();
        }
        if (topic.equals(Topics.RAW.name())) {
            return Optional.of(rawLine(record));
        }
        if (record.value() == null) {
            return Optional.of(start(CONTROL, record).literal("tombstone", true).end());
        }
        try {
            if (topic.equals(Topics.STRUCTURED.name())) {
                return structured(record, StructuredRecord.parseFrom(record.value()));
            }
            if (topic.equals(Topics.COVERAGE.name())) {
                return Optional.of(start(MARKER, record)
                        .fields(CoverageMarker.parseFrom(record.value()))
                        .end());
            }
            if (topic.equals(Topics.QUARANTINE.name())) {
                return Optional.of(start(MARKER, record)
                        .fields(Quarantined.parseFrom(record.value()))
                        .end());
            }
            return Optional.of(control(record));
        } catch (InvalidProtocolBufferException e) {
            return Optional.of(undecodable(record));
        }
    }

    private Optional<String> structured(ConsumerRecord<byte[], byte[]> record, StructuredRecord value) {
        return switch (value.getRecordCase()) {
            case EVENT -> {
                Envelope event = value.getEvent();
                JsonLine line = start(EVENT, record).fields(event);
                PayloadJson.of(event.getPayload().toByteArray()).ifPresent(json -> line.json("payload_json", json));
                yield Optional.of(line.end());
            }
            case MARKER ->
                Optional.of(start(MARKER, record).fields(value.getMarker()).end());
            case GENERATION, RECORD_NOT_SET ->
                filter.takesControl()
                        ? Optional.of(start(CONTROL, record).fields(value).end())
                        : Optional.empty();
        };
    }

    private String rawLine(ConsumerRecord<byte[], byte[]> record) {
        String kind = raw.isBatch(record) ? EVENT : MARKER;
        JsonLine line = start(kind, record);
        raw.write(record, line);
        return line.end();
    }

    private static String control(ConsumerRecord<byte[], byte[]> record) throws InvalidProtocolBufferException {
        Optional<? extends Parser<? extends MessageLite>> parser =
                Topics.named(record.topic()).flatMap(TopicSpec::value);
        if (parser.isEmpty()) {
            return undecodable(record);
        }
        JsonLine line = start(CONTROL, record);
        if (parser.get().parseFrom(record.value()) instanceof Message message) {
            line.fields(message);
        }
        return line.end();
    }

    private static String undecodable(ConsumerRecord<byte[], byte[]> record) {
        return start(CONTROL, record).base64("value", record.value()).end();
    }

    private static JsonLine start(String kind, ConsumerRecord<byte[], byte[]> record) {
        JsonLine line = new JsonLine()
                .string("kind", kind)
                .string("topic", record.topic())
                .literal("partition", record.partition())
                .wide("offset", record.offset())
                .wide("log_ts_ms", record.timestamp());
        return record.key() == null ? line : line.string("key", new String(record.key(), StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        raw.close();
    }
}
