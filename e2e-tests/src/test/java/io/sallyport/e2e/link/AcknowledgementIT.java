package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.link.proto.RejectCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 5 of the page: which number goes into the ACK, and how many ranges above it are kept. */
class AcknowledgementIT {

    @Test
    void shouldAcknowledgeInSequence() {
        try (Session session = Link.open(Sensor.fresh("ack"))) {
            for (int i = 0; i < 20; i++) {
                session.append(Event.range(10L * i + 1, 10L * i + 10)).expectWatermark(10L * i + 10);
            }
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldNeverPassAHoleAndStillAnswerEachAppend() {
        try (Session session = Link.open(Sensor.fresh("ack-hole"))) {
            session.append(Event.range(2, 5));
            assertThat(session.expectAck().watermark()).isZero();
            session.append(Event.seqs(7));
            assertThat(session.expectAck().watermark()).isZero();
            session.append(Event.seqs(1)).expectWatermark(5);
            session.append(Event.seqs(9));
            assertThat(session.expectAck().watermark()).isEqualTo(5);
            session.append(Event.seqs(6)).expectWatermark(7);
            session.append(Event.seqs(8)).expectWatermark(9);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldAcknowledgeBatchesOfOneSegmentCumulatively() {
        try (Session session = Link.open(Sensor.fresh("ack-priority"))) {
            session.append(Event.range(901, 910));
            session.append(Event.range(1, 100)).expectWatermark(100);
            Batch later = session.batch(Event.range(501, 900));
            Batch earlier = session.batch(Event.range(101, 500));
            session.appended().add(later.body());
            session.appended().add(earlier.body());
            session.send(Frames.batch(later), Frames.batch(earlier)).expectWatermark(910);
            Link.raw().assertHolds(session);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldReachTheEndInAnyOrder(long seed) {
        var random = new Random(seed);
        var seqs = new ArrayList<Long>();
        for (long seq = 1; seq <= 600; seq++) {
            seqs.add(seq);
        }
        Collections.shuffle(seqs, random);
        try (Session session = Link.open(Sensor.fresh("ack-random"))) {
            for (int at = 0; at < seqs.size(); ) {
                List<Long> part = seqs.subList(at, Math.min(seqs.size(), at + 1 + random.nextInt(40)));
                Batch batch = session.batch(
                        Event.seqs(part.stream().mapToLong(Long::longValue).toArray()));
                session.append(random.nextBoolean() ? batch : batch.compressed());
                at += part.size();
            }
            session.expectWatermark(600);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldAppendAndAcknowledgeAResendAgain() {
        try (Session session = Link.open(Sensor.fresh("ack-resend"))) {
            Batch batch = session.batch(Event.range(1, 10));
            session.append(batch).expectWatermark(10);
            session.append(batch);
            assertThat(session.expectAck().watermark()).isEqualTo(10);
            session.append(session.batch(Event.range(3, 7)).compressed().withFlags(1));
            assertThat(session.expectAck().watermark()).isEqualTo(10);
            // Old and new events in one batch.
            session.append(Event.range(8, 12)).expectWatermark(12);
            // The same one twice before it can be acknowledged.
            Batch hasty = session.batch(Event.range(13, 20));
            session.append(hasty).append(hasty).expectWatermark(20);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldNotCountWhatIsUnacknowledged() {
        try (Session session = Link.open(Sensor.fresh("ack-many"))) {
            for (int i = 0; i < 20; i++) {
                session.append(Event.range(512L * i + 1, 512L * i + 512));
            }
            session.expectWatermark(20 * 512L);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldNotReachAWatermarkBeyondTheLastSeq() {
        try (Session session = Link.open(Sensor.fresh("ack-last"))) {
            session.append(Event.of(Long.MAX_VALUE));
            assertThat(session.expectAck().watermark()).isZero();
            session.append(Event.of(1)).expectWatermark(1);
        }
    }

    @Test
    void shouldKeepOneThousandAndTwentyFourRanges() {
        try (Session session = Link.open(Sensor.fresh("ack-window"))) {
            fillWindow(session);
            refuseOneMore(session, Event.of(5_000));
            refuseOneMore(session, Event.of(Long.MAX_VALUE));
            // One that joins a range, one that joins two, one that is known, one below the watermark: no new range.
            session.append(Event.of(2_050))
                    .append(Event.of(4))
                    .append(Event.of(3))
                    .append(Event.seqs(3, 5, 7));
            for (int i = 0; i < 4; i++) {
                session.barrier();
            }
            // The last one made room for one range.
            session.append(Event.of(5_000));
            refuseOneMore(session, Event.of(6_000));
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldTakeABatchThatFillsTheHoleOfAFullWindow() {
        try (Session session = Link.open(Sensor.fresh("ack-window"))) {
            fillWindow(session);
            refuseOneMore(session, Event.of(5_000));
            session.append(Event.seqs(1, 2)).expectWatermark(3);
            session.append(Event.of(5_000));
            Batch over = session.batch(Event.of(6_000));
            session.send(Frames.batch(over)).expectBatchReject(RejectCode.ACK_WINDOW_EXCEEDED, over.batchId());
            // All the holes at once.
            long[] holes = new long[512];
            for (int i = 0; i < holes.length; i++) {
                holes[i] = 4 + 2L * i;
            }
            session.append(Event.seqs(holes)).expectWatermark(1_027);
            session.append(Event.of(6_000));
            session.barrier();
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldCountTheBatchesInFlight() {
        try (Session session = Link.open(Sensor.fresh("ack-window"))) {
            Batch low = session.batch(everySecond(3, 512));
            Batch high = session.batch(everySecond(1_027, 512));
            Batch over = session.batch(Event.of(9_000));
            session.appended().add(low.body());
            session.appended().add(high.body());
            session.send(Frames.batch(low), Frames.batch(high), Frames.batch(over));
            session.expectBatchReject(RejectCode.ACK_WINDOW_EXCEEDED, over.batchId());
            session.append(Event.seqs(1, 2)).expectWatermark(3);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldLookAtTheEventsBeforeTheWindow() {
        try (Session session = Link.open(Sensor.fresh("ack-window"))) {
            fillWindow(session);
            Batch bad = session.batch(Event.of(5_000), Event.of(0));
            session.send(Frames.batch(bad)).expectBatchReject(RejectCode.BATCH_MALFORMED, bad.batchId());
        }
    }

    /** 3, 5, 7 … 2049: 1,024 ranges above watermark 0. */
    private static void fillWindow(Session session) {
        session.append(everySecond(3, 512));
        session.append(everySecond(1_027, 512));
        session.barrier();
    }

    private static Event[] everySecond(long fromSeq, int count) {
        Event[] events = new Event[count];
        for (int i = 0; i < count; i++) {
            events[i] = Event.of(fromSeq + 2L * i);
        }
        return events;
    }

    private static void refuseOneMore(Session session, Event event) {
        Batch over = session.batch(event);
        session.send(Frames.batch(over)).expectBatchReject(RejectCode.ACK_WINDOW_EXCEEDED, over.batchId());
    }
}
