package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.github.luben.zstd.Zstd;
import io.sallyport.e2e.link.proto.RejectCode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Case H02: a small compressed batch that grows without end. */
class H02CompressedBombIT {
    private static final int BOMB_BYTES = 64 << 20;
    private static final byte[] STATED = Zstd.compress(new byte[BOMB_BYTES], 19);
    private static final byte[] STREAMED = ZstdIT.streamed(new byte[BOMB_BYTES]);
    private static final int LARGEST_EVENTS = 64;

    /** Valid events that together have a block of exactly this size. */
    private static Event[] events(int blockBytes) {
        int full = Event.HEAD_BYTES + Frames.MAX_EVENT_BYTES;
        Event[] events = new Event[LARGEST_EVENTS];
        for (int i = 0; i < LARGEST_EVENTS - 1; i++) {
            events[i] = Event.of(i + 1L, new byte[Frames.MAX_EVENT_BYTES]);
        }
        int rest = blockBytes - (LARGEST_EVENTS - 1) * full - Event.HEAD_BYTES;
        events[LARGEST_EVENTS - 1] = Event.of(LARGEST_EVENTS, new byte[rest]);
        return events;
    }

    static Stream<Arguments> bombs() {
        byte[] oneMore = Event.block(events(Frames.MAX_BATCH_BYTES + 1));
        return Stream.of(
                arguments("a: 64 MiB, stated", Frames.MAX_BATCH_BYTES, STATED),
                arguments("b: 64 MiB, streamed", Frames.MAX_BATCH_BYTES, STREAMED),
                arguments("b: a small raw_length", 100, STREAMED),
                arguments("d: one byte more, stated", Frames.MAX_BATCH_BYTES, Zstd.compress(oneMore)),
                arguments("d: one byte more, streamed", Frames.MAX_BATCH_BYTES, ZstdIT.streamed(oneMore)),
                arguments("d: one byte more, and said so", Frames.MAX_BATCH_BYTES + 1, ZstdIT.streamed(oneMore)),
                arguments(
                        "64 MiB in run-length blocks",
                        Frames.MAX_BATCH_BYTES,
                        ZstdFrame.withWindow(ZstdFrame.WINDOW_8_MIB).holdingZeros(BOMB_BYTES)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bombs")
    void shouldRefuseItEachTime(String what, int rawLength, byte[] compressed) {
        try (Session session = Link.open(Sensor.fresh("h02"))) {
            Batch bomb = bomb(session, rawLength, compressed);
            for (int resend = 0; resend < 4; resend++) {
                session.send(Frames.batch(bomb)).expectBatchReject(RejectCode.BATCH_TOO_LARGE, bomb.batchId());
            }
            assertThat(session.barrier()).isEmpty();
            session.append(Event.of(1)).expectWatermark(1);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldTakeExactlyTheLimit() {
        try (Session session = Link.open(Sensor.fresh("h02"))) {
            Batch largest = session.batch(events(Frames.MAX_BATCH_BYTES));
            assertThat(largest.rawLength()).isEqualTo(Frames.MAX_BATCH_BYTES);
            session.append(largest.compressed()).expectWatermark(LARGEST_EVENTS);
            session.append(largest.withCodec(Batch.CODEC_ZSTD).withTransmitted(ZstdIT.streamed(largest.transmitted())));
            session.expectAck();
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldStandTwentyAtOnce() {
        try (ControlClient control = ControlClient.start()) {
            List<Session> sessions = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                sessions.add(Link.open(Sensor.fresh("h02")));
            }
            for (int round = 0; round < 3; round++) {
                for (Session session : sessions) {
                    session.send(Frames.batch(bomb(session, Frames.MAX_BATCH_BYTES, STREAMED)));
                }
            }
            for (Session session : sessions) {
                for (long batchId = 1; batchId <= 3; batchId++) {
                    session.expectBatchReject(RejectCode.BATCH_TOO_LARGE, batchId);
                }
                assertThat(session.barrier()).isEmpty();
                assertThat(Link.raw().telemetryOf(session.sensor())).isEmpty();
                session.close();
            }
            control.assertServed();
        }
    }

    private static Batch bomb(Session session, int rawLength, byte[] compressed) {
        return session.batch(Event.of(1))
                .withCodec(Batch.CODEC_ZSTD)
                .withRawLength(rawLength)
                .withTransmitted(compressed);
    }
}
