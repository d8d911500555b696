package io.sallyport.e2e.link;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.Descriptors.FieldDescriptor;
import io.sallyport.e2e.link.proto.HostMetadata;
import io.sallyport.e2e.link.proto.RejectCode;
import io.sallyport.e2e.link.proto.SensorStart;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Section 3 of the page: what a SENSOR_START may say, each limit from both sides. */
class SensorStartSyntaxIT {
    private static final byte[] BAD_UTF8 = {(byte) 0xC3, 0x28};
    private static final long TWO_TO_63 = 1L << 63;
    private static final String TEXT_256 = "x".repeat(256);
    private static final String TEXT_257 = "x".repeat(257);

    static Stream<Arguments> numbersOutOfRange() {
        return Stream.of(
                arguments("epoch 0", 0, 0L, 1L),
                arguments("next_seq 0", 1, 0L, 0L),
                arguments("next_seq 2^63 + 1", 1, 0L, TWO_TO_63 + 1),
                arguments("next_seq 2^64 - 1", 1, 0L, -1L),
                arguments("watermark = next_seq", 1, 5L, 5L),
                arguments("watermark > next_seq", 1, 6L, 5L),
                arguments("watermark beyond the sign bit", 1, -1L, 5L),
                arguments("watermark = next_seq = 2^63", 1, TWO_TO_63, TWO_TO_63),
                arguments("no epoch, next_seq 0", null, 0L, 0L),
                arguments("no epoch, watermark = next_seq", null, 1L, 1L));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("numbersOutOfRange")
    void shouldRefuseNumbersOutOfRange(String what, Integer epoch, long watermark, long nextSeq) {
        var sensor = Sensor.fresh("range");
        var start = sensor.start().setWatermark(watermark).setNextSeq(nextSeq);
        if (epoch != null) {
            start.setEpoch(epoch);
        }
        Link.refused(sensor, frame(start), RejectCode.FRAME_MALFORMED);
    }

    static Stream<Arguments> numbersAtTheEdge() {
        return Stream.of(
                arguments("next_seq 2^63", 0L, TWO_TO_63),
                arguments("watermark 2^63 - 1", TWO_TO_63 - 1, TWO_TO_63),
                arguments("watermark one below next_seq", 4L, 5L));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("numbersAtTheEdge")
    void shouldTakeNumbersAtTheEdge(String what, long watermark, long nextSeq) {
        var sensor = Sensor.fresh("edge");
        accepted(sensor, sensor.start().setWatermark(watermark).setNextSeq(nextSeq));
    }

    static Stream<FieldDescriptor> stringsOfHost() {
        return HostMetadata.getDescriptor().getFields().stream()
                .filter(field -> field.getType() == FieldDescriptor.Type.STRING && !field.isRepeated());
    }

    @ParameterizedTest
    @MethodSource("stringsOfHost")
    void shouldRefuseAHostStringOf257Bytes(FieldDescriptor field) {
        refusedHost(HostMetadata.newBuilder().setField(field, TEXT_257));
    }

    @Test
    void shouldTakeEveryHostStringOf256Bytes() {
        var host = HostMetadata.newBuilder();
        stringsOfHost().forEach(field -> host.setField(field, TEXT_256));
        acceptedHost(host);
    }

    @Test
    void shouldCountBytesAndNotCharacters() {
        acceptedHost(HostMetadata.newBuilder().setHostname("ü".repeat(128)));
        refusedHost(HostMetadata.newBuilder().setHostname("ü".repeat(128) + "x"));
        acceptedHost(HostMetadata.newBuilder().setHostname("\uD83D\uDE00".repeat(64)));
        refusedHost(HostMetadata.newBuilder().setHostname("\uD83D\uDE00".repeat(65)));
    }

    @Test
    void shouldLimitTags() {
        acceptedHost(tags(64));
        refusedHost(tags(65));
        acceptedHost(HostMetadata.newBuilder().putTags(TEXT_256, TEXT_256));
        refusedHost(HostMetadata.newBuilder().putTags(TEXT_257, "v"));
        refusedHost(HostMetadata.newBuilder().putTags("k", TEXT_257));
    }

    @Test
    void shouldLimitCapabilities() {
        acceptedHost(capabilities(64));
        refusedHost(capabilities(65));
        acceptedHost(HostMetadata.newBuilder().addCapabilities(TEXT_256));
        refusedHost(HostMetadata.newBuilder().addCapabilities(TEXT_257));
    }

    static IntStream stringFieldsOfStart() {
        return IntStream.of(StartBytes.CUSTOMER_ID, StartBytes.SENSOR_ID, StartBytes.TOKEN);
    }

    @ParameterizedTest
    @MethodSource("stringFieldsOfStart")
    void shouldRefuseInvalidUtf8(int field) {
        var sensor = Sensor.fresh("utf8");
        byte[] body = StartBytes.with(sensor.start().build().toByteArray(), field, BAD_UTF8);
        Link.refused(sensor, Frames.frame(Frames.SENSOR_START, body), RejectCode.FRAME_MALFORMED);
    }

    @Test
    void shouldRefuseInvalidUtf8InHostMetadata() {
        var sensor = Sensor.fresh("utf8");
        byte[] start = sensor.start().build().toByteArray();
        for (int field = 1; field <= StartBytes.LAST_STRING_OF_HOST + 1; field++) {
            byte[] host = StartBytes.with(new byte[0], field, BAD_UTF8);
            byte[] body = StartBytes.with(start, StartBytes.HOST, host);
            Link.refused(sensor, Frames.frame(Frames.SENSOR_START, body), RejectCode.FRAME_MALFORMED);
        }
    }

    static Stream<Arguments> otherInvalidUtf8() {
        return Stream.of(
                arguments("continuation alone", new byte[] {(byte) 0x80}),
                arguments("overlong slash", new byte[] {(byte) 0xC0, (byte) 0xAF}),
                arguments("surrogate", new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}),
                arguments("above U+10FFFF", new byte[] {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80}),
                arguments("cut", new byte[] {'a', (byte) 0xE2, (byte) 0x82}));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("otherInvalidUtf8")
    void shouldRefuseEveryKindOfInvalidUtf8(String what, byte[] bytes) {
        var sensor = Sensor.fresh("utf8");
        byte[] body = StartBytes.with(sensor.start().build().toByteArray(), StartBytes.SENSOR_ID, bytes);
        Link.refused(sensor, Frames.frame(Frames.SENSOR_START, body), RejectCode.FRAME_MALFORMED);
    }

    static Stream<Arguments> bodiesThatDoNotParse() {
        byte[] whole = Sensor.fresh("cut").start().build().toByteArray();
        return Stream.of(
                arguments("empty: every number is 0", new byte[0]),
                arguments("text", Bytes.ascii("GET / HTTP/1.1\r\n\r\n")),
                arguments("one byte short", Arrays.copyOf(whole, whole.length - 1)),
                arguments("one byte more", Arrays.copyOf(whole, whole.length + 1)),
                arguments("length beyond the end", new byte[] {0x12, 0x7F, 'a'}),
                arguments("negative length", new byte[] {0x12, -1, -1, -1, -1, 0x0F, 'a'}),
                arguments("endless varint", new byte[] {0x08, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}),
                arguments("field number 0", new byte[] {0x00, 0x01}),
                arguments("wire type 7", new byte[] {0x0F, 0x01}),
                arguments("end of a group that never began", new byte[] {0x0C}));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bodiesThatDoNotParse")
    void shouldRefuseBodiesThatDoNotParse(String what, byte[] body) {
        Link.refused(Sensor.fresh("body"), Frames.frame(Frames.SENSOR_START, body), RejectCode.FRAME_MALFORMED);
    }

    @Test
    void shouldRefuseDeeplyNestedGroups() {
        // Field 1000, start of group, again and again: a parser that follows it runs out of stack.
        byte[] nested = new byte[15_000];
        for (int i = 0; i < nested.length; i += 2) {
            nested[i] = (byte) 0xC3;
            nested[i + 1] = 0x3E;
        }
        Link.refused(Sensor.fresh("nested"), Frames.frame(Frames.SENSOR_START, nested), RejectCode.FRAME_MALFORMED);
    }

    @Test
    void shouldPassOverFieldsThatItDoesNotKnow() {
        var sensor = Sensor.fresh("unknown-field");
        accepted(sensor, StartBytes.withUnknownFields(sensor.start().build()).toBuilder());
    }

    @Test
    void shouldTakeAnyBufferDepth() {
        var sensor = Sensor.fresh("depth");
        accepted(sensor, sensor.start().setBufferDepthEvents(-1).setBufferDepthBytes(-1));
    }

    @ParameterizedTest
    @MethodSource("otherVersions")
    void shouldRefuseOtherVersions(int version) {
        var sensor = Sensor.fresh("version");
        Link.refused(sensor, frame(sensor.start().setProtocolVersion(version)), RejectCode.UNSUPPORTED_VERSION);
    }

    static IntStream otherVersions() {
        return IntStream.of(0, 2, 257, Integer.MAX_VALUE, -1);
    }

    private static HostMetadata.Builder tags(int count) {
        var host = HostMetadata.newBuilder();
        for (int i = 0; i < count; i++) {
            host.putTags("tag-" + i, "");
        }
        return host;
    }

    private static HostMetadata.Builder capabilities(int count) {
        var host = HostMetadata.newBuilder();
        for (int i = 0; i < count; i++) {
            host.addCapabilities("capability-" + i);
        }
        return host;
    }

    private static void acceptedHost(HostMetadata.Builder host) {
        var sensor = Sensor.fresh("host");
        accepted(sensor, sensor.start().setHost(host));
    }

    private static void refusedHost(HostMetadata.Builder host) {
        var sensor = Sensor.fresh("host");
        Link.refused(sensor, frame(sensor.start().setHost(host)), RejectCode.FRAME_MALFORMED);
    }

    private static void accepted(Sensor sensor, SensorStart.Builder start) {
        Link.open(sensor, start).close();
    }

    private static byte[] frame(SensorStart.Builder start) {
        return Frames.frame(Frames.SENSOR_START, start.build());
    }
}
