package io.sallyport.envelope.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.Stage;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeafEncoderTest {
    private static final Origin ORIGIN = Origin.newBuilder()
            .setShard(3)
            .setGeneration(1)
            .setPos(77)
            .setRawPartition(3)
            .setRawOffset(1_234)
            .setRawIndex(5)
            .build();
    private static final Envelope EVENT = Envelope.newBuilder()
            .setCustomerId("acme")
            .setSensorId("s-1")
            .setEpoch(2)
            .setSeq(99)
            .setEventType(4)
            .setPayloadSchema(1)
            .setEventTsUs(-5)
            .setIngestTsUs(1_790_000_000_000_000L)
            .setPayload(ByteString.copyFromUtf8("{\"pid\":1}"))
            .setReplay(true)
            .setOrigin(ORIGIN)
            .build();
    private static final CoverageMarker MARKER = CoverageMarker.newBuilder()
            .setCustomerId("acme")
            .setSensorId("s-1")
            .setEpoch(2)
            .addRanges(SeqRange.newBuilder().setFrom(3).setTo(9))
            .setCount(7)
            .setStage(Stage.STAGE_SENSOR)
            .setReason(Reason.SENSOR_SKIP)
            .setDetail("spool full")
            .setAtUs(5)
            .setOrigin(ORIGIN)
            .build();

    private static final GenerationRecord GENERATION = GenerationRecord.newBuilder()
            .setFromOffset(100)
            .setToOffset(200)
            .setComplete(true)
            .setStructuredOffset(150)
            .setAtUs(5)
            .setSinceUs(4)
            .setOrigin(ORIGIN)
            .build();

    private final LeafEncoder encoder = new LeafEncoder(new TreeHash());

    /** Golden values: a leaf that was released never changes. */
    @Test
    void shouldKeepTheLeavesOfVersionOne() {
        assertThat(hex(event(EVENT))).isEqualTo("340e22623d5f32b3f00b1153fe3be5d4489a6215d15feef431edafe17d16257e");
        assertThat(hex(marker(MARKER))).isEqualTo("e80363bf2956ffdc7ffcda1c36f97192392e5294f5adf9ad746e721c49db0940");
        assertThat(hex(encoder.leaf(GENERATION)))
                .isEqualTo("77a0842b7fc5482864c3ad3884c25a911da1be3a9c8878e98318bb054d6eefd7");
    }

    @Test
    void shouldCoverEveryFieldThatTheRecordsHave() {
        var leaves = new ArrayList<String>();
        leaves.add(hex(event(EVENT)));
        leaves.add(hex(marker(MARKER)));
        for (Message changed : changes(EVENT)) {
            leaves.add(hex(event((Envelope) changed)));
        }
        for (Message changed : changes(MARKER)) {
            leaves.add(hex(marker((CoverageMarker) changed)));
        }
        leaves.add(hex(encoder.leaf(GENERATION)));
        for (Message changed : changes(GENERATION)) {
            leaves.add(hex(encoder.leaf((GenerationRecord) changed)));
        }
        for (Message changed : changes(ORIGIN)) {
            leaves.add(hex(encoder.leaf(
                    GENERATION.toBuilder().setOrigin((Origin) changed).build())));
            leaves.add(hex(event(EVENT.toBuilder().setOrigin((Origin) changed).build())));
            leaves.add(hex(marker(MARKER.toBuilder().setOrigin((Origin) changed).build())));
        }
        for (Message changed : changes(MARKER.getRanges(0))) {
            leaves.add(hex(
                    marker(MARKER.toBuilder().setRanges(0, (SeqRange) changed).build())));
        }
        assertThat(leaves).doesNotHaveDuplicates();
    }

    @Test
    void shouldTellNeighbouringTextsApart() {
        assertThat(hex(event(EVENT.toBuilder()
                        .setCustomerId("acmes")
                        .setSensorId("-1")
                        .build())))
                .isNotEqualTo(hex(event(EVENT.toBuilder()
                        .setCustomerId("acme")
                        .setSensorId("s-1")
                        .build())));
    }

    @Test
    void shouldGiveTheSameLeafForADigestedPayload() throws Exception {
        byte[] digest =
                MessageDigest.getInstance("SHA-256").digest(EVENT.getPayload().toByteArray());
        assertThat(encoder.leaf(
                        EVENT.toBuilder().clearPayload().build(),
                        EVENT.getPayload().size(),
                        digest))
                .isEqualTo(event(EVENT));
    }

    @Test
    void shouldNotVouchForFieldsThatItDoesNotKnow() {
        assertThat(LeafEncoder.covers(record(EVENT))).isTrue();
        assertThat(LeafEncoder.covers(
                        StructuredRecord.newBuilder().setMarker(MARKER).build()))
                .isTrue();
        var takeover = StructuredRecord.newBuilder().setGeneration(GENERATION).build();
        assertThat(LeafEncoder.covers(takeover)).isTrue();
        assertThat(encoder.leaf(takeover)).isEqualTo(encoder.leaf(GENERATION));
        var unknown = UnknownFieldSet.newBuilder()
                .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build();
        assertThat(LeafEncoder.covers(
                        record(EVENT.toBuilder().setUnknownFields(unknown).build())))
                .isFalse();
        assertThat(LeafEncoder.covers(record(EVENT.toBuilder()
                        .setOrigin(ORIGIN.toBuilder().setUnknownFields(unknown))
                        .build())))
                .isFalse();
        assertThat(LeafEncoder.covers(
                        record(EVENT).toBuilder().setUnknownFields(unknown).build()))
                .isFalse();
        assertThat(LeafEncoder.covers(takeover.toBuilder()
                        .setGeneration(GENERATION.toBuilder().setUnknownFields(unknown))
                        .build()))
                .isFalse();
        assertThat(LeafEncoder.covers(StructuredRecord.getDefaultInstance())).isFalse();
    }

    @Test
    void shouldEncodeAMarkerWithManyRanges() {
        var marker = MARKER.toBuilder();
        for (int i = 0; i < 5_000; i++) {
            marker.addRanges(SeqRange.newBuilder().setFrom(i).setTo(i));
        }
        assertThat(marker(marker.build())).hasSize(32);
    }

    private static StructuredRecord record(Envelope event) {
        return StructuredRecord.newBuilder().setEvent(event).build();
    }

    private byte[] event(Envelope event) {
        return encoder.leaf(record(event));
    }

    private byte[] marker(CoverageMarker marker) {
        return encoder.leaf(StructuredRecord.newBuilder().setMarker(marker).build());
    }

    /** For each field a copy of the message where it alone is different. A field that is added later comes in by itself. */
    private static List<Message> changes(Message message) {
        var changes = new ArrayList<Message>();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            var changed = message.toBuilder();
            switch (field.getJavaType()) {
                case INT -> changed.setField(field, (int) message.getField(field) + 1);
                case LONG -> changed.setField(field, (long) message.getField(field) + 1);
                case BOOLEAN -> changed.setField(field, !(boolean) message.getField(field));
                case STRING -> changed.setField(field, message.getField(field) + "x");
                case BYTE_STRING ->
                    changed.setField(
                            field, ((ByteString) message.getField(field)).concat(ByteString.copyFromUtf8("x")));
                case ENUM -> changed.setField(field, field.getEnumType().findValueByNumber(4));
                case MESSAGE -> {
                    if (field.isRepeated()) {
                        changed.clearField(field);
                    } else {
                        continue;
                    }
                }
                default -> throw new IllegalStateException("a field of an unknown kind: " + field);
            }
            changes.add(changed.build());
        }
        return changes;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
