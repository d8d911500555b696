package io.sallyport.e2e.link;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sallyport.e2e.link.proto.RejectCode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Case H01: foreign text or a hostile number where the frame length is expected. */
class H01FrameLengthIT {

    static Stream<Arguments> hostileLengths() {
        return Stream.of(
                arguments("a: text", Bytes.ascii("GET / HTTP/1.1\r\n\r\n")),
                arguments(
                        "b: one more than allowed, and all of it",
                        Bytes.join(
                                new Bytes().u32(Frames.MAX_FRAME_BYTES + 1L).toArray(),
                                new byte[Frames.MAX_FRAME_BYTES + 1])),
                arguments("c: the sign bit", new Bytes().u32(0x8000_0000L).toArray()),
                arguments("d: all ones", new Bytes().u32(0xFFFF_FFFFL).toArray()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostileLengths")
    void shouldRefuseHostileLengthsInsteadOfAStart(String what, byte[] bytes) {
        try (ControlClient control = ControlClient.start();
                Session session = Link.connect(Sensor.fresh("h01"))) {
            session.send(bytes).expectFinalReject(RejectCode.FRAME_TOO_LARGE);
            control.assertServed();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostileLengths")
    void shouldRefuseHostileLengthsInASession(String what, byte[] bytes) {
        try (ControlClient control = ControlClient.start();
                Session session = Link.open(Sensor.fresh("h01"))) {
            session.send(bytes).expectFinalReject(RejectCode.FRAME_TOO_LARGE);
            Link.raw().assertHolds(session);
            control.assertServed();
        }
    }

    @Test
    void shouldAppendAFrameOfExactlyTheLimit() {
        try (Session session = Link.open(Sensor.fresh("h01"))) {
            session.append(H03SizesIT.fullFrame(session)).expectWatermark(H03SizesIT.FULL_FRAME_EVENTS);
            Link.raw().assertHolds(session);
        }
    }
}
