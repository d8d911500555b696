package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sallyport.e2e.link.proto.Reject;
import io.sallyport.e2e.link.proto.RejectCode;
import io.sallyport.e2e.link.proto.SensorStart;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Case H17 on the link: empty, long, binary and wildcard ids. */
class H17OddIdsIT {

    static Stream<Arguments> oddIds() {
        return Stream.of(
                arguments("empty", ""),
                arguments("NUL", "s\0x"),
                arguments("65 bytes", "x".repeat(65)),
                arguments("255 bytes", "x".repeat(255)),
                arguments("256 bytes", "x".repeat(256)),
                arguments("257 bytes", "x".repeat(257)),
                arguments("64 characters of two bytes", "ü".repeat(64)),
                arguments("100 characters of four bytes", "\uD83D\uDE00".repeat(100)),
                arguments("a replacement character", "s-\uFFFD"),
                arguments("a letter of another script that looks alike", "s-\u0430"),
                arguments("a digit of another script", "s-\u0661"),
                arguments("a byte order mark", "\uFEFFs"),
                arguments("number sign", "#"),
                arguments("plus", "+"),
                arguments("star", "*"),
                arguments("a wildcard behind a prefix", "s-*"),
                arguments("line break and escape", "s-1\r\n2031-01-01 INFO \u001b[2J"),
                arguments("a lookup", "${jndi:ldap://127.0.0.1:9/x}"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("oddIds")
    void shouldRefuseThem(String what, String id) {
        for (Sensor sensor : new Sensor[] {new Sensor(Sensor.CUSTOMER, id), new Sensor(id, "s-1")}) {
            Reject reject = Link.refusedToken(start(sensor), RejectCode.BAD_IDENTITY);
            assertThat(reject.getDetail()).doesNotContain("\0", "\r", "\n", "\u001b", "${");
        }
    }

    @Test
    void shouldRefuseInvalidUtf8AsMalformed() {
        var sensor = Sensor.fresh("h17");
        byte[] body = StartBytes.with(
                sensor.start().build().toByteArray(), StartBytes.SENSOR_ID, new byte[] {(byte) 0xC3, 0x28});
        Link.refused(sensor, Frames.frame(Frames.SENSOR_START, body), RejectCode.FRAME_MALFORMED);
    }

    @Test
    void shouldTake64Bytes() {
        Link.acceptedToken(start(new Sensor(Sensor.CUSTOMER, "h17-" + "x".repeat(60))));
        Link.acceptedToken(start(new Sensor(Sensor.CUSTOMER, "x")));
    }

    @Test
    void shouldGoOnServingAfterManyRefusals() {
        try (ControlClient control = ControlClient.start()) {
            for (int i = 0; i < 50; i++) {
                Link.refusedToken(start(new Sensor(Sensor.CUSTOMER, "s-*")), RejectCode.BAD_IDENTITY);
            }
            control.assertServed();
        }
    }

    private static SensorStart.Builder start(Sensor sensor) {
        return sensor.start().setToken(Link.tokens().of(sensor));
    }
}
