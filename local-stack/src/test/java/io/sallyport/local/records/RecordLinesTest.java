package io.sallyport.local.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.Stage;
import io.sallyport.proto.log.v1.Stamp;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RecordLinesTest {
    private static final String START = "{\"kind\":\"%s\",\"topic\":\"%s\",\"partition\":3,\"offset\":\"41\","
            + "\"log_ts_ms\":\"1700000000000\",\"key\":\"%s\",";
    private static final Origin ORIGIN = Origin.newBuilder()
            .setShard(3)
            .setPos(1L << 60)
            .setRawPartition(3)
            .setRawOffset(7)
            .setRawIndex(2)
            .build();
    private static final String ORIGIN_JSON =
            "\"origin\":{\"shard\":3,\"generation\":0,\"pos\":\"1152921504606846976\","
                    + "\"raw_partition\":3,\"raw_offset\":\"7\",\"raw_index\":2}";

    @Test
    void shouldPrintAnEventWithEveryFieldOfTheContract() {
        String payload = "{\"b\": 1, \"a\":[-9223372036854775808,1.50,\"\\u00e9\\n\"]}";
        String line = one(record("structured", "acme/s-1", event(payload.getBytes(StandardCharsets.UTF_8))));
        assertThat(line)
                .isEqualTo(START.formatted("event", "structured", "acme/s-1")
                        + "\"customer_id\":\"acme\",\"sensor_id\":\"s-1\",\"epoch\":4294967295,"
                        + "\"seq\":\"9223372036854775807\",\"event_type\":4,\"payload_schema\":0,"
                        + "\"event_ts_us\":\"-1\",\"ingest_ts_us\":\"1700000000000001\","
                        + "\"payload\":\"eyJiIjogMSwgImEiOlstOTIyMzM3MjAzNjg1NDc3NTgwOCwxLjUwLCJcdTAwZTlcbiJdfQ==\","
                        + "\"replay\":true,\"renumbered\":false,\"clock_skew\":false," + ORIGIN_JSON
                        + ",\"payload_json\":{\"b\":1,\"a\":[-9223372036854775808,1.50,\"é\\n\"]}}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain text", "{\"a\":1", "{\"a\":1} {}", "[1,]", "", "{'a':1}", "nul"})
    void shouldLeavePayloadJsonOutWhereThePayloadIsNoJson(String payload) {
        JsonNode line = read(one(record("structured", "acme/s-1", event(payload.getBytes(StandardCharsets.UTF_8)))));
        assertThat(line.has("payload_json")).isFalse();
        assertThat(line.has("payload")).isTrue();
    }

    @Test
    void shouldPrintAJsonPayloadOfSeveralLinesOnOne() {
        String line =
                one(record("structured", "acme/s-1", event("{\n \"a\" :\r\n 1\n}".getBytes(StandardCharsets.UTF_8))));
        assertThat(line).endsWith("\"payload_json\":{\"a\":1}}").doesNotContain("\n");
    }

    @Test
    void shouldPrintAMarkerWithItsReasonByName() {
        CoverageMarker marker = CoverageMarker.newBuilder()
                .setCustomerId("acme")
                .setSensorId("s-1")
                .setEpoch(2)
                .addRanges(SeqRange.newBuilder().setFrom(5).setTo(9))
                .setCount(5)
                .setStage(Stage.STAGE_NORMALIZER)
                .setReason(Reason.GAP)
                .setDetail("a \"quoted\" <detail>")
                .setAtUs(12)
                .setOrigin(ORIGIN)
                .build();
        String fields = "\"customer_id\":\"acme\",\"sensor_id\":\"s-1\",\"epoch\":2,"
                + "\"ranges\":[{\"from\":\"5\",\"to\":\"9\"}],\"count\":\"5\",\"stage\":\"STAGE_NORMALIZER\","
                + "\"reason\":\"GAP\",\"detail\":\"a \\\"quoted\\\" \\u003cdetail\\u003e\",\"at_us\":\"12\","
                + ORIGIN_JSON + "}";
        assertThat(one(record(
                        "structured",
                        "acme/s-1",
                        StructuredRecord.newBuilder().setMarker(marker).build())))
                .isEqualTo(START.formatted("marker", "structured", "acme/s-1") + fields);
        assertThat(one(record("coverage", "acme/s-1", marker)))
                .isEqualTo(START.formatted("marker", "coverage", "acme/s-1") + fields);
    }

    @Test
    void shouldPrintAQuarantinedRecordWithItsOriginalBytes() {
        Quarantined quarantined = Quarantined.newBuilder()
                .setCustomerId("acme")
                .setSensorId("s-1")
                .setReason(Reason.UNREGISTERED_TYPE)
                .setOriginal(ByteString.copyFrom(new byte[] {0, -1, 16}))
                .build();
        JsonNode line = read(one(record("quarantine", "acme/s-1", quarantined)));
        assertThat(line.get("kind").asString()).isEqualTo("marker");
        assertThat(line.get("reason").asString()).isEqualTo("UNREGISTERED_TYPE");
        assertThat(line.get("original").asString()).isEqualTo("AP8Q");
    }

    @Test
    void shouldDescribeARawBatchWithoutItsPayloads() {
        var body = ByteBuffer.allocate(BatchHeader.BYTES + 24 + 3);
        new BatchHeader(7, -1, BatchHeader.CODEC_NONE, BatchHeader.FLAG_REPLAY, 1, 27, 0x80000000).write(body);
        body.putLong(99)
                .putLong(5)
                .putShort((short) 4)
                .putShort((short) 0)
                .putInt(3)
                .put(new byte[3]);
        Stamp stamp = Stamp.newBuilder()
                .setCustomerId("acme")
                .setSensorId("s-1")
                .setSessionId(1L << 62)
                .build();
        JsonNode line = read(one(raw(RawKind.BATCH.name(), stamp.toByteArray(), body.array())));
        assertThat(line.get("kind").asString()).isEqualTo("event");
        assertThat(line.get("raw_kind").asString()).isEqualTo("BATCH");
        assertThat(line.get("value_bytes").asInt()).isEqualTo(47);
        assertThat(line.get("stamp").get("session_id").asString()).isEqualTo("4611686018427387904");
        assertThat(line.get("batch").toString())
                .isEqualTo("{\"epoch\":7,\"batch_id\":4294967295,\"codec\":\"none\",\"flags\":1,\"replay\":true,"
                        + "\"renumbered\":false,\"count\":1,\"raw_length\":27,\"block_bytes\":27,\"crc32c\":2147483648,"
                        + "\"first_seq\":\"99\",\"lowest_seq\":\"99\",\"highest_seq\":\"99\"}");
    }

    @Test
    void shouldDescribeARawSkip() {
        JsonNode line = read(one(raw(RawKind.SKIP.name(), new byte[0], new Skip(1, 2, 3, 4).toBytes())));
        assertThat(line.get("kind").asString()).isEqualTo("marker");
        assertThat(line.get("skip").toString())
                .isEqualTo("{\"epoch\":1,\"from_seq\":\"2\",\"to_seq\":\"3\",\"reason\":4}");
    }

    @Test
    void shouldPrintWhatDoesNotDecodeAsBase64() {
        assertThat(read(one(raw("UNHEARD", new byte[] {-1}, new byte[] {1, 2})))
                        .get("undecodable_value")
                        .asString())
                .isEqualTo("AQI=");
        assertThat(read(one(record("structured", "acme/s-1", new byte[] {-1, -1})))
                        .get("value")
                        .asString())
                .isEqualTo("//8=");
        assertThat(read(one(record("unheard-of", "k", new byte[] {1})))
                        .get("value")
                        .asString())
                .isEqualTo("AQ==");
    }

    @Test
    void shouldPrintControlRecordsUnderTheCustomerTheyBelongTo() {
        var customer = record(
                "customers", "acme", Customer.newBuilder().setCustomerId("acme").build());
        JsonNode line = read(one(customer));
        assertThat(line.get("kind").asString()).isEqualTo("control");
        assertThat(line.get("customer_id").asString()).isEqualTo("acme");
        assertThat(read(one(record("customers", "acme", (byte[]) null)))
                        .get("tombstone")
                        .asBoolean())
                .isTrue();
        assertThat(lines(new RecordFilter(Optional.of("acme"), Optional.empty()), customer))
                .isPresent();
        assertThat(lines(new RecordFilter(Optional.of("acm"), Optional.empty()), customer))
                .isEmpty();
        var map = record("shard-map", "1", new byte[0]);
        assertThat(lines(RecordFilter.ALL, map)).isPresent();
        assertThat(lines(new RecordFilter(Optional.of("1"), Optional.empty()), map))
                .isEmpty();
    }

    @Test
    void shouldFindASensorWhereItStandsInTheKeyOfEachTopic() {
        var status = TargetStatus.newBuilder().setSensorId("s-1").setState(TargetState.ACKED);
        var filter = new RecordFilter(Optional.of("acme"), Optional.of("s-1"));
        assertThat(read(lines(filter, record("target-status", "acme/m-1/s-1", status.build()))
                                .orElseThrow())
                        .get("state")
                        .asString())
                .isEqualTo("ACKED");
        assertThat(lines(filter, record("target-status", "acme/s-1/s-2", status.build())))
                .isEmpty();
        assertThat(lines(filter, record("sensor-queue", "acme/s-1", new byte[0])))
                .isPresent();
        assertThat(lines(filter, record("endpoint-metadata", "acme/s-1/7", new byte[0])))
                .isPresent();
        assertThat(lines(filter, record("message-decisions", "acme/s-1", new byte[0])))
                .isEmpty();
    }

    @Test
    void shouldFilterByCustomerAndSensorByTheWholeId() {
        var record = record("structured", "acme/s-1", event(new byte[] {1}));
        assertThat(lines(new RecordFilter(Optional.of("acme"), Optional.of("s-1")), record))
                .isPresent();
        assertThat(lines(new RecordFilter(Optional.empty(), Optional.of("s-1")), record))
                .isPresent();
        assertThat(lines(new RecordFilter(Optional.of("acm"), Optional.empty()), record))
                .isEmpty();
        assertThat(lines(new RecordFilter(Optional.of("acme"), Optional.of("s-")), record))
                .isEmpty();
    }

    private static StructuredRecord event(byte[] payload) {
        return StructuredRecord.newBuilder()
                .setEvent(Envelope.newBuilder()
                        .setCustomerId("acme")
                        .setSensorId("s-1")
                        .setEpoch(-1)
                        .setSeq(Long.MAX_VALUE)
                        .setEventType(4)
                        .setEventTsUs(-1)
                        .setIngestTsUs(1_700_000_000_000_001L)
                        .setPayload(ByteString.copyFrom(payload))
                        .setReplay(true)
                        .setOrigin(ORIGIN))
                .build();
    }

    private static ConsumerRecord<byte[], byte[]> record(String topic, String key, MessageLite value) {
        return record(topic, key, value.toByteArray());
    }

    private static ConsumerRecord<byte[], byte[]> record(String topic, String key, byte @Nullable [] value) {
        return record(topic, key, value, new RecordHeaders());
    }

    private static ConsumerRecord<byte[], byte[]> raw(String kind, byte[] stamp, byte[] value) {
        var headers = new RecordHeaders()
                .add(RawHeaders.KIND, kind.getBytes(StandardCharsets.US_ASCII))
                .add(RawHeaders.STAMP, stamp);
        return record("raw", "acme/s-1", value, new RecordHeaders(headers));
    }

    private static ConsumerRecord<byte[], byte[]> record(
            String topic, String key, byte @Nullable [] value, RecordHeaders headers) {
        return new ConsumerRecord<>(
                topic,
                3,
                41,
                1_700_000_000_000L,
                TimestampType.LOG_APPEND_TIME,
                0,
                0,
                key.getBytes(StandardCharsets.UTF_8),
                value,
                headers,
                Optional.empty());
    }

    private static String one(ConsumerRecord<byte[], byte[]> record) {
        return lines(RecordFilter.ALL, record).orElseThrow();
    }

    private static Optional<String> lines(RecordFilter filter, ConsumerRecord<byte[], byte[]> record) {
        try (var printer = new RecordLines(filter)) {
            return printer.line(record);
        }
    }

    private static JsonNode read(String line) {
        return new JsonMapper().readTree(line);
    }
}
