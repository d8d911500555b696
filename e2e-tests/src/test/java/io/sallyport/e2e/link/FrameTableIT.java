package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sallyport.e2e.link.proto.Accept;
import io.sallyport.e2e.link.proto.Message;
import io.sallyport.e2e.link.proto.MessageAck;
import io.sallyport.e2e.link.proto.MessageNack;
import io.sallyport.e2e.link.proto.Reject;
import io.sallyport.e2e.link.proto.RejectCode;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 2 of the page: lengths, types, directions, states, and the bodies of the small frames. */
class FrameTableIT {
    private static final byte[] NOTHING = {};
    /** Field 1, a string of five bytes, of which one is there. */
    private static final byte[] CUT_PROTOBUF = {0x0A, 0x05, 'x'};
    /** Field 1, a string with the bytes C3 28, which no UTF-8 text has. */
    private static final byte[] BAD_UTF8 = {0x0A, 0x02, (byte) 0xC3, 0x28};

    @ParameterizedTest
    @ValueSource(longs = {Frames.MAX_FRAME_BYTES + 1L, 0x0100_0000L, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL})
    void shouldRefuseATooLargeLengthWithoutWaitingForTheBytes(long length) {
        try (Session session = Link.open(Sensor.fresh("too-large"))) {
            session.send(new Bytes().u32(length).toArray()).expectFinalReject(RejectCode.FRAME_TOO_LARGE);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x00, Frames.ACK, Frames.PING, 0xFF})
    void shouldLookAtTheLengthBeforeTheType(int type) {
        try (Session session = Link.open(Sensor.fresh("too-large"))) {
            session.send(Frames.head(Frames.MAX_FRAME_BYTES + 1L, type)).expectFinalReject(RejectCode.FRAME_TOO_LARGE);
        }
    }

    @Test
    void shouldRefuseLengthZero() {
        try (Session session = Link.open(Sensor.fresh("zero"))) {
            session.send(new Bytes().u32(0).toArray()).expectFinalReject(RejectCode.FRAME_MALFORMED);
        }
        try (Session session = Link.connect(Sensor.fresh("zero"))) {
            session.send(new Bytes().u32(0).toArray()).expectFinalReject(RejectCode.FRAME_MALFORMED);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x00, 0x0E, 0x0F, 0x10, 0x41, 0x7F, 0x80, 0xFF})
    void shouldRefuseUnknownTypes(int type) {
        try (Session session = Link.open(Sensor.fresh("unknown-type"))) {
            session.send(Frames.frame(type, new byte[16])).expectFinalReject(RejectCode.PROTOCOL_VIOLATION);
        }
        try (Session session = Link.connect(Sensor.fresh("unknown-type"))) {
            session.send(Frames.frame(type, new byte[16])).expectFinalReject(RejectCode.PROTOCOL_VIOLATION);
        }
    }

    static Stream<Arguments> framesOfTheGateway() {
        return Stream.of(
                arguments(Frames.ACCEPT, Accept.newBuilder().setEpoch(1).build().toByteArray()),
                arguments(Frames.ACCEPT, CUT_PROTOBUF),
                arguments(
                        Frames.REJECT,
                        Reject.newBuilder().setCode(RejectCode.DRAINING).build().toByteArray()),
                arguments(Frames.ACK, new Bytes().u32(1).u64(1).u32(0).toArray()),
                arguments(Frames.ACK, NOTHING),
                arguments(Frames.DRAIN, new Bytes().u32(1_000).u32(0).toArray()),
                arguments(
                        Frames.MESSAGE,
                        Message.newBuilder().setMsgId("m-1").build().toByteArray()));
    }

    @ParameterizedTest
    @MethodSource("framesOfTheGateway")
    void shouldRefuseFramesOfTheOtherDirection(int type, byte[] body) {
        try (Session session = Link.open(Sensor.fresh("direction"))) {
            session.send(Frames.frame(type, body)).expectFinalReject(RejectCode.PROTOCOL_VIOLATION);
        }
    }

    static IntStream everyTypeButSensorStart() {
        return IntStream.rangeClosed(Frames.ACCEPT, Frames.STATS);
    }

    @ParameterizedTest
    @MethodSource("everyTypeButSensorStart")
    void shouldAllowOnlySensorStartBeforeAccept(int type) {
        try (Session session = Link.connect(Sensor.fresh("state"))) {
            session.send(Frames.frame(type, new byte[16])).expectFinalReject(RejectCode.PROTOCOL_VIOLATION);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Frames.MAX_START_BYTES + 1L, Frames.MAX_FRAME_BYTES, 0x8000_0000L, 0xFFFF_FFFFL})
    void shouldLimitTheFirstFrameMore(long length) {
        try (Session session = Link.connect(Sensor.fresh("first-frame"))) {
            session.send(new Bytes().u32(length).toArray()).expectFinalReject(RejectCode.FRAME_TOO_LARGE);
        }
        try (Session session = Link.connect(Sensor.fresh("first-frame"))) {
            session.send(Frames.head(length, Frames.BATCH)).expectFinalReject(RejectCode.FRAME_TOO_LARGE);
        }
    }

    @Test
    void shouldTakeAFirstFrameOfExactlyTheLimit() {
        var sensor = Sensor.fresh("first-frame");
        byte[] start = StartBytes.paddedTo(sensor, Frames.MAX_START_BYTES - 1);
        byte[] frame = Frames.frame(Frames.SENSOR_START, start);
        assertThat(frame).startsWith(0x00, 0x00, 0x40, 0x00, 0x01);
        try (Session session = Link.connect(sensor)) {
            session.send(frame).expectAccept();
        }
    }

    @Test
    void shouldRefuseASecondSensorStart() {
        var sensor = Sensor.fresh("second-start");
        byte[] start = Frames.frame(Frames.SENSOR_START, sensor.start().build());
        try (Session session = Link.open(sensor)) {
            session.send(start).expectFinalReject(RejectCode.PROTOCOL_VIOLATION);
        }
    }

    @Test
    void shouldRefuseASecondSensorStartThatDoesNotWaitForTheAnswerOfTheFirst() {
        var sensor = Sensor.fresh("second-start");
        byte[] start = Frames.frame(Frames.SENSOR_START, sensor.start().build());
        try (Session session = Link.connect(sensor)) {
            session.send(start, start);
            var frames = session.client().untilEnd();
            var last = frames.get(frames.size() - 1);
            assertThat(last.type()).isEqualTo(Frames.REJECT);
            assertThat(last.reject().getCode()).isEqualTo(RejectCode.PROTOCOL_VIOLATION);
            assertThat(frames.subList(0, frames.size() - 1)).allMatch(frame -> frame.type() == Frames.ACCEPT);
        }
    }

    static Stream<Arguments> bodiesThatDoNotParse() {
        return Stream.of(
                arguments("SKIP of 0 bytes", Frames.SKIP, NOTHING),
                arguments("SKIP of 21 bytes", Frames.SKIP, new byte[21]),
                arguments("SKIP of 23 bytes", Frames.SKIP, new byte[23]),
                arguments("STATS of 0 bytes", Frames.STATS, NOTHING),
                arguments("STATS of 15 bytes", Frames.STATS, new byte[15]),
                arguments("STATS of 17 bytes", Frames.STATS, new byte[17]),
                arguments("PING of 65 bytes", Frames.PING, new byte[65]),
                arguments("PING of a whole frame", Frames.PING, new byte[Frames.MAX_FRAME_BYTES - 1]),
                arguments("PONG of 65 bytes", Frames.PONG, new byte[65]),
                arguments("BATCH of 0 bytes", Frames.BATCH, NOTHING),
                arguments("BATCH of 19 bytes", Frames.BATCH, new byte[Batch.HEADER_BYTES - 1]),
                arguments("cut MESSAGE_ACK", Frames.MESSAGE_ACK, CUT_PROTOBUF),
                arguments("MESSAGE_ACK with bad UTF-8", Frames.MESSAGE_ACK, BAD_UTF8),
                arguments("cut MESSAGE_NACK", Frames.MESSAGE_NACK, CUT_PROTOBUF),
                arguments("MESSAGE_NACK with bad UTF-8", Frames.MESSAGE_NACK, BAD_UTF8));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bodiesThatDoNotParse")
    void shouldRefuseBodiesThatDoNotParse(String what, int type, byte[] body) {
        try (Session session = Link.open(Sensor.fresh("body"))) {
            session.send(Frames.frame(type, body)).expectFinalReject(RejectCode.FRAME_MALFORMED);
        }
    }

    @Test
    void shouldEchoPingsOfUpTo64Bytes() {
        try (Session session = Link.open(Sensor.fresh("ping"))) {
            for (int bytes : new int[] {0, 1, 63, 64}) {
                byte[] opaque = new byte[bytes];
                new Random(bytes).nextBytes(opaque);
                // 00 00 00 nn  length · 0B  PING · opaque
                session.send(Frames.ping(opaque));
                Received next = session.client().next();
                assertThat(next).isInstanceOf(Received.Frame.class);
                assertThat(((Received.Frame) next).type()).isEqualTo(Frames.PONG);
                assertThat(((Received.Frame) next).body()).isEqualTo(opaque);
            }
        }
    }

    @Test
    void shouldAnswerPingsInTheirOrder() {
        try (Session session = Link.open(Sensor.fresh("ping"))) {
            byte[][] pings = new byte[100][];
            for (int i = 0; i < pings.length; i++) {
                pings[i] = Frames.ping(new Bytes().u32(i).toArray());
            }
            session.send(pings);
            for (int i = 0; i < pings.length; i++) {
                var pong = (Received.Frame) session.client().next();
                assertThat(pong.type()).isEqualTo(Frames.PONG);
                assertThat(pong.body()).isEqualTo(new Bytes().u32(i).toArray());
            }
        }
    }

    @Test
    void shouldGiveNoAnswerToStatsEvenWhenTheyComeTooEarly() {
        try (Session session = Link.open(Sensor.fresh("stats"))) {
            session.send(Frames.stats(0, 0), Frames.stats(1, 1), Frames.stats(-1, -1));
            assertThat(session.barrier()).isEmpty();
            session.append(Event.of(1)).expectWatermark(1);
        }
    }

    @Test
    void shouldIgnoreAnUnsolicitedPong() {
        try (Session session = Link.open(Sensor.fresh("pong"))) {
            session.send(Frames.frame(Frames.PONG, NOTHING), Frames.frame(Frames.PONG, new byte[64]));
            assertThat(session.barrier()).isEmpty();
        }
    }

    @Test
    void shouldIgnoreAnswersToUnknownMessages() {
        try (Session session = Link.open(Sensor.fresh("message-answer"))) {
            session.send(
                    Frames.frame(
                            Frames.MESSAGE_ACK,
                            MessageAck.newBuilder().setMsgId("nobody-sent-this").build()),
                    Frames.frame(Frames.MESSAGE_ACK, NOTHING),
                    Frames.frame(
                            Frames.MESSAGE_NACK,
                            MessageNack.newBuilder()
                                    .setMsgId("nor-this\r\n${jndi:ldap://127.0.0.1:9/x}")
                                    .setCode(-1)
                                    .setDetail("no")
                                    .build()));
            assertThat(session.barrier()).isEmpty();
            session.append(Event.of(1)).expectWatermark(1);
        }
    }

    @Test
    void shouldIgnoreALongAnswerToAnUnknownMessage() {
        try (Session session = Link.open(Sensor.fresh("message-answer"))) {
            session.send(
                    Frames.frame(
                            Frames.MESSAGE_ACK,
                            MessageAck.newBuilder()
                                    .setMsgId("m".repeat(1_000_000))
                                    .build()),
                    Frames.frame(
                            Frames.MESSAGE_NACK,
                            MessageNack.newBuilder()
                                    .setMsgId("m")
                                    .setDetail("d".repeat(1_000_000))
                                    .build()));
            assertThat(session.barrier()).isEmpty();
        }
    }

    @Test
    void shouldAnswerTwoWrongFramesWithOneReject() {
        try (Session session = Link.open(Sensor.fresh("one-reject"))) {
            session.send(new Bytes().u32(0).toArray(), Frames.frame(0xFF, NOTHING), Frames.head(0xFFFF_FFFFL, 1));
            // The client itself refuses anything after a REJECT without batch_id.
            session.expectFinalReject(RejectCode.FRAME_MALFORMED);
        }
    }

    @Test
    void shouldKeepTheRejectReadableWhileMoreInputArrives() {
        try (Session session = Link.open(Sensor.fresh("half-close"))) {
            session.send(Frames.frame(0xFF, NOTHING));
            for (int i = 0; i < 16; i++) {
                session.send(new byte[64 << 10]);
            }
            session.expectFinalReject(RejectCode.PROTOCOL_VIOLATION);
        }
    }

    @Test
    void shouldAppendNothingThatCameAfterTheViolation() {
        try (Session session = Link.open(Sensor.fresh("after-violation"))) {
            session.append(Event.of(1));
            session.send(Frames.frame(0x00, NOTHING), Frames.batch(session.batch(Event.of(2))));
            session.expectFinalReject(RejectCode.PROTOCOL_VIOLATION);
            Link.raw().assertHolds(session);
        }
    }
}
