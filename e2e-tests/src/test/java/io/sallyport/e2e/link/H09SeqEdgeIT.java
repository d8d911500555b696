package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.link.proto.EpochVerdict;
import io.sallyport.e2e.link.proto.Reject;
import io.sallyport.e2e.link.proto.RejectCode;
import org.junit.jupiter.api.Test;

/** Case H09 on the link: a seq goes up to 2^63 - 1, and nothing wraps there. */
class H09SeqEdgeIT {
    /** 9223372036854775807. */
    private static final long LAST = Long.MAX_VALUE;

    @Test
    void shouldWorkUpToTheLastSeqAndRefuseOneMore() {
        var sensor = Sensor.fresh("h09");
        Link.open(sensor).close();
        try (Session session = Link.open(sensor, sensor.start(1, LAST - 3, LAST - 2, 0))) {
            assertThat(session.accept().getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            assertThat(session.accept().getWatermark()).isEqualTo(9_223_372_036_854_775_804L);
            session.append(Event.seqs(LAST - 2, LAST - 1, LAST)).expectWatermark(LAST);
            session.append(Event.seqs(LAST - 1, LAST));
            assertThat(session.expectAck().watermark()).isEqualTo(LAST);
            for (Event[] beyond : new Event[][] {
                {Event.of(LAST + 1)}, {Event.of(LAST), Event.of(LAST + 1)}, {Event.of(LAST + 4)}, {Event.of(-1)}
            }) {
                Batch bad = session.batch(beyond);
                Reject reject =
                        session.send(Frames.batch(bad)).expectBatchReject(RejectCode.BATCH_MALFORMED, bad.batchId());
                assertThat(reject.getDetail()).isNotBlank().doesNotContain("-9223372036854775808");
            }
            session.append(Event.of(1));
            assertThat(session.expectAck().watermark()).isEqualTo(LAST);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldSkipUpToTheLastSeq() {
        var sensor = Sensor.fresh("h09");
        Link.open(sensor).close();
        try (Session session = Link.open(sensor, sensor.start(1, LAST - 3, LAST - 2, 0))) {
            session.skip(LAST, LAST, 1);
            assertThat(session.expectAck().watermark()).isEqualTo(LAST - 3);
            session.skip(LAST - 2, LAST - 1, 1).expectWatermark(LAST);
            session.send(Frames.skip(session.epoch(), LAST, LAST + 1, 1)).expectFinalReject(RejectCode.SKIP_MALFORMED);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldGrantANewEpochToASensorThatUsedEveryNumber() {
        var sensor = Sensor.fresh("h09");
        Link.open(sensor).close();
        long last;
        try (Session session = Link.open(sensor, sensor.start(1, LAST - 1, LAST, 0))) {
            session.append(Event.of(LAST)).expectWatermark(LAST);
            last = session.accept().getSessionId();
        }
        // next_seq 2^63 says that there is none left: that much may be said, and resumes.
        try (Session session = Link.open(sensor, sensor.start(1, LAST, LAST + 1, last))) {
            assertThat(session.accept().getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            assertThat(session.accept().getWatermark()).isEqualTo(LAST);
        }
        try (Session session = Link.open(sensor)) {
            assertThat(session.accept().getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_FIRST);
            assertThat(session.epoch()).isEqualTo(2);
            session.append(Event.of(1)).expectWatermark(1);
        }
    }
}
