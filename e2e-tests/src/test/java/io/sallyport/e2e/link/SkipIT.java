package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sallyport.e2e.link.proto.RejectCode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SKIP, section 5 of the page: {@code u32 epoch · u64 from_seq · u64 to_seq · u16 reason}. */
class SkipIT {
    private static final long WIDEST = 1L << 20;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 0x7FFF, 0xFFFF})
    void shouldPassEveryReasonThrough(int reason) {
        try (Session session = Link.open(Sensor.fresh("skip-reason"))) {
            session.skip(1, 10, reason).expectWatermark(10);
            var entry = Link.raw().telemetryOf(session.sensor()).get(0);
            assertThat(entry.kind()).isEqualTo("SKIP");
            assertThat(entry.value())
                    .isEqualTo(new Bytes()
                            .u32(session.epoch())
                            .u64(1)
                            .u64(10)
                            .u16(reason)
                            .toArray());
        }
    }

    @Test
    void shouldAcknowledgeLikeAnEventRange() {
        try (Session session = Link.open(Sensor.fresh("skip"))) {
            session.append(Event.range(1, 3)).expectWatermark(3);
            session.append(Event.range(7, 9));
            assertThat(session.expectAck().watermark()).isEqualTo(3);
            session.skip(20, 30, 1);
            assertThat(session.expectAck().watermark()).isEqualTo(3);
            session.skip(4, 6, 2).expectWatermark(9);
            session.append(Event.range(10, 19)).expectWatermark(30);
            // Content for what was skipped, and a skip of what was acknowledged, are taken and acknowledged again.
            session.append(Event.range(4, 6));
            assertThat(session.expectAck().watermark()).isEqualTo(30);
            session.skip(1, 30, 3);
            assertThat(session.expectAck().watermark()).isEqualTo(30);
            session.skip(31, 31, 3).expectWatermark(31);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldTakeTheWidestRange() {
        try (Session session = Link.open(Sensor.fresh("skip-wide"))) {
            session.skip(1, WIDEST, 1).expectWatermark(WIDEST);
            session.skip(WIDEST + 1, 2 * WIDEST, 1).expectWatermark(2 * WIDEST);
            session.skip(Long.MAX_VALUE - WIDEST + 1, Long.MAX_VALUE, 1);
            assertThat(session.expectAck().watermark()).isEqualTo(2 * WIDEST);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldKeepTheOrderOfBatchAndSkip() {
        try (Session session = Link.open(Sensor.fresh("skip-order"))) {
            for (int i = 0; i < 20; i++) {
                long first = 10L * i + 1;
                session.append(Event.range(first, first + 4)).skip(first + 5, first + 9, 1);
            }
            session.expectWatermark(200);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldTakeMoreSkippedRangesThanRangesOfBatches() {
        try (ControlClient control = ControlClient.start();
                Session session = Link.open(Sensor.fresh("skip-many"))) {
            int skips = 4 * Frames.MAX_ACK_RANGES;
            for (int i = 1; i <= skips; i++) {
                session.skip(2L * i, 2L * i, 1);
            }
            session.skip(1, 2L * skips, 1).expectWatermark(2L * skips);
            Link.raw().assertHolds(session);
            control.assertServed();
        }
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                arguments("from 0", 0L, 0L, 5L),
                arguments("0 to 0", 0L, 0L, 0L),
                arguments("backwards", 0L, 6L, 5L),
                arguments("backwards over the sign bit", 0L, -1L, 5L),
                arguments("one wider than allowed", 0L, 1L, WIDEST + 1),
                arguments("everything", 0L, 1L, Long.MAX_VALUE),
                arguments("to 2^63", 0L, Long.MAX_VALUE, Long.MIN_VALUE),
                arguments("2^63 alone", 0L, Long.MIN_VALUE, Long.MIN_VALUE),
                arguments("the last numbers of 64 bits", 0L, -2L, -1L),
                arguments("the epoch before", -1L, 1L, 5L),
                arguments("the epoch after", 1L, 1L, 5L));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void shouldCloseOnAMalformedSkip(String what, long epochOffset, long fromSeq, long toSeq) {
        try (Session session = Link.open(Sensor.fresh("skip-malformed"))) {
            session.append(Event.of(1)).expectWatermark(1);
            session.send(Frames.skip(session.epoch() + epochOffset, fromSeq, toSeq, 1))
                    .expectFinalReject(RejectCode.SKIP_MALFORMED);
            Link.raw().assertHolds(session);
        }
    }
}
