package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sallyport.e2e.link.proto.Accept;
import io.sallyport.e2e.link.proto.EpochVerdict;
import io.sallyport.e2e.link.proto.RejectCode;
import io.sallyport.e2e.link.proto.SensorStart;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** ACCEPT, section 3 of the page: what the gateway grants for what a sensor presents, and takeovers. */
class EpochIT {

    @Test
    void shouldTellItsLimits() {
        try (Session session = Link.open(Sensor.fresh("accept"))) {
            Accept accept = session.accept();
            assertThat(accept.getMaxFrameBytes()).isEqualTo(Frames.MAX_FRAME_BYTES);
            assertThat(accept.getMaxBatchEvents()).isEqualTo(Frames.MAX_BATCH_EVENTS);
            assertThat(accept.getMaxEventBytes()).isEqualTo(Frames.MAX_EVENT_BYTES);
            assertThat(accept.getMaxBatchBytes()).isEqualTo(Frames.MAX_BATCH_BYTES);
            assertThat(accept.getMaxUnackedEvents()).isEqualTo(1_024);
            assertThat(accept.getKeepaliveMs())
                    .isEqualTo((int) Link.target().keepalive().toMillis());
            assertThat(accept.getSessionId()).isNotZero();
            long nowUs = Instant.now().toEpochMilli() * 1_000;
            assertThat(accept.getServerTimeUs())
                    .isCloseTo(nowUs, within(Duration.ofMinutes(5).toNanos() / 1_000));
        }
    }

    @Test
    void shouldGrantEpochOneToANewSensor() {
        try (Session session = Link.open(Sensor.fresh("epoch-first"))) {
            assertGranted(session, EpochVerdict.NEW_EPOCH_FIRST, 1, 0, 0);
        }
    }

    @Test
    void shouldGrantTheNextEpochToASensorThatLostItsState() {
        var sensor = Sensor.fresh("epoch-lost");
        appendAndClose(Link.open(sensor), 10);
        try (Session session = Link.open(sensor)) {
            assertGranted(session, EpochVerdict.NEW_EPOCH_FIRST, 2, 0, 0);
            session.append(Event.of(1)).expectWatermark(1);
        }
    }

    @Test
    void shouldResumeWithTheLargerWatermark() {
        var sensor = Sensor.fresh("epoch-resume");
        long last = appendAndClose(Link.open(sensor), 10);
        // The sensor missed the last ACKs. The cloud may know less than it sent, never less than was presented.
        for (long presented : new long[] {0, 4, 10}) {
            try (Session session = Link.open(sensor, sensor.start(1, presented, 11, last))) {
                assertThat(session.accept().getVerdict()).isEqualTo(EpochVerdict.RESUMED);
                assertThat(session.epoch()).isEqualTo(1);
                assertThat(session.accept().getWatermark()).isBetween(presented, 10L);
                session.append(Event.of(10));
                session.expectAck();
                last = session.accept().getSessionId();
            }
        }
        try (Session session = Link.open(sensor, sensor.start(1, 10, 11, last))) {
            session.append(Event.of(11)).expectWatermark(11);
        }
    }

    @Test
    void shouldCountFromTheWatermarkThatWasPresented() {
        var sensor = Sensor.fresh("epoch-presented");
        Link.open(sensor).close();
        try (Session session = Link.open(sensor, sensor.start(1, 1_000, 1_001, 0))) {
            assertGranted(session, EpochVerdict.RESUMED, 1, 1_000, 0);
            session.append(Event.of(1_002));
            assertThat(session.expectAck().watermark()).isEqualTo(1_000);
            session.append(Event.of(5));
            assertThat(session.expectAck().watermark()).isEqualTo(1_000);
            session.append(Event.of(1_001)).expectWatermark(1_002);
        }
    }

    @Test
    void shouldResumeAsOftenAsNothingWasSent() {
        var sensor = Sensor.fresh("epoch-idle");
        Link.open(sensor).close();
        long newest = 0;
        for (int i = 0; i < 3; i++) {
            try (Session session = Link.open(sensor, sensor.start(1, 0, 1, 0))) {
                assertGranted(session, EpochVerdict.RESUMED, 1, 0, 0);
                assertThat(Long.compareUnsigned(session.accept().getSessionId(), newest))
                        .as("a later session has the higher id")
                        .isPositive();
                newest = session.accept().getSessionId();
            }
        }
    }

    @Test
    void shouldNotResumeWhereASessionAppendedThatTheSensorDoesNotKnow() {
        var sensor = Sensor.fresh("epoch-rollback");
        long known = appendAndClose(Link.open(sensor), 5);
        long unknown = appendAndClose(Link.open(sensor, sensor.start(1, 5, 6, known)), 6, 8);
        assertThat(unknown).isNotEqualTo(known);
        // A restored snapshot: it knows the first of the two sessions.
        try (Session session = Link.open(sensor, sensor.start(1, 5, 9, known))) {
            assertGranted(session, EpochVerdict.NEW_EPOCH_ROLLBACK, 2, 0, 5);
            session.append(Event.of(1)).expectWatermark(1);
        }
    }

    @Test
    void shouldNotResumeWhereNumbersWouldBeUsedAgain() {
        var sensor = Sensor.fresh("epoch-reuse");
        long[] last = {appendAndClose(Link.open(sensor), 10)};
        // Resumes with watermark 0 until the cloud knows what was acknowledged.
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            try (Session session = Link.open(sensor, sensor.start(1, 0, 11, last[0]))) {
                assertThat(session.accept().getVerdict()).isEqualTo(EpochVerdict.RESUMED);
                return session.accept().getWatermark() == 10;
            }
        });
        try (Session session = Link.open(sensor, sensor.start(1, 3, 10, last[0]))) {
            assertGranted(session, EpochVerdict.NEW_EPOCH_ROLLBACK, 2, 0, 3);
        }
    }

    @Test
    void shouldNotResumeAnEpochThatIsClosed() {
        var sensor = Sensor.fresh("epoch-old");
        appendAndClose(Link.open(sensor), 5);
        long last = appendAndClose(Link.open(sensor), 5);
        try (Session session = Link.open(sensor, sensor.start(1, 5, 6, last))) {
            assertGranted(session, EpochVerdict.NEW_EPOCH_ROLLBACK, 3, 0, 5);
        }
    }

    @Test
    void shouldSpendNoNumberTwiceForOneCause() {
        var sensor = Sensor.fresh("epoch-repeat");
        appendAndClose(Link.open(sensor), 5);
        for (int i = 0; i < 3; i++) {
            try (Session session = Link.open(sensor, sensor.start(1, 2, 6, 0))) {
                assertGranted(session, EpochVerdict.NEW_EPOCH_ROLLBACK, 2, 0, 2);
            }
        }
    }

    static Stream<Arguments> divergedOfAnUnknownSensor() {
        return Stream.of(
                arguments(7L, 8L),
                arguments(0x7FFF_FFFFL, 0x8000_0000L),
                arguments(0x8000_0000L, 1L),
                arguments(0xFFFF_FFFFL, 1L));
    }

    @ParameterizedTest(name = "{0} becomes {1}")
    @MethodSource("divergedOfAnUnknownSensor")
    void shouldNotAdoptAnEpochThatItNeverIssued(long presented, long granted) {
        var sensor = Sensor.fresh("epoch-diverged");
        try (Session session = Link.open(sensor, sensor.start((int) presented, 100, 101, 0))) {
            assertGranted(session, EpochVerdict.DIVERGED, granted, 0, 0);
            session.append(Event.of(1)).expectWatermark(1);
        }
    }

    static Stream<Arguments> divergedOfAKnownSensor() {
        return Stream.of(
                arguments(2L, 3L), arguments(1_025L, 1_026L), arguments(1_026L, 2L), arguments(0xFFFF_FFFFL, 2L));
    }

    @ParameterizedTest(name = "{0} becomes {1}")
    @MethodSource("divergedOfAKnownSensor")
    void shouldNotAdoptAnEpochAboveTheHighest(long presented, long granted) {
        var sensor = Sensor.fresh("epoch-diverged");
        long last = appendAndClose(Link.open(sensor), 3);
        try (Session session = Link.open(sensor, sensor.start((int) presented, 3, 4, last))) {
            assertGranted(session, EpochVerdict.DIVERGED, granted, 0, 0);
        }
    }

    @Test
    void shouldRefuseTheOldEpochInANewSession() {
        var sensor = Sensor.fresh("epoch-stale");
        appendAndClose(Link.open(sensor), 5);
        try (Session session = Link.open(sensor)) {
            Batch old = session.batch(Event.of(6)).withEpoch(1);
            session.send(Frames.batch(old)).expectBatchReject(RejectCode.STALE_EPOCH, old.batchId());
            session.append(Event.of(1)).expectWatermark(1);
        }
    }

    @Test
    void shouldEndTheOlderOfTwoSessions() {
        var sensor = Sensor.fresh("takeover");
        try (Session older = Link.open(sensor)) {
            older.append(Event.range(1, 3)).expectWatermark(3);
            SensorStart.Builder again = sensor.start(1, 3, 4, older.accept().getSessionId());
            try (Session newer = Link.open(sensor, again)) {
                assertThat(newer.accept().getVerdict()).isEqualTo(EpochVerdict.RESUMED);
                older.expectFinalReject(RejectCode.SUPERSEDED);
                newer.append(Event.range(4, 6)).expectWatermark(6);
                assertThat(newer.barrier()).isEmpty();
            }
        }
    }

    @Test
    void shouldEndTheOlderSessionOfTheOtherListener() {
        var sensor = Sensor.fresh("takeover");
        try (Session older = Link.open(sensor);
                Session newer = Link.connectToTokenListener(sensor)) {
            newer.send(Frames.frame(
                            Frames.SENSOR_START,
                            sensor.start(1, 0, 1, 0)
                                    .setToken(Link.tokens().of(sensor))
                                    .build()))
                    .expectAccept();
            older.expectFinalReject(RejectCode.SUPERSEDED);
            newer.append(Event.of(1)).expectWatermark(1);
        }
    }

    @Test
    void shouldNotFollowALastSessionIdFromTheFarFuture() {
        var sensor = Sensor.fresh("epoch-future");
        Link.open(sensor).close();
        for (long lastSessionId : new long[] {-1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            try (Session session = Link.open(sensor, sensor.start(1, 0, 1, lastSessionId))) {
                assertGranted(session, EpochVerdict.RESUMED, 1, 0, 0);
            }
        }
        long last = appendAndClose(Link.open(sensor, sensor.start(1, 0, 1, -1)), 2);
        try (Session session = Link.open(sensor, sensor.start(1, 2, 3, last))) {
            assertGranted(session, EpochVerdict.RESUMED, 1, 2, 0);
        }
    }

    @Test
    void shouldLeaveOneOfManySessionsThatComeAtOnce() {
        var sensor = Sensor.fresh("takeover");
        Session[] sessions = new Session[4];
        for (int i = 0; i < sessions.length; i++) {
            sessions[i] = Link.connect(sensor);
        }
        for (Session session : sessions) {
            session.send(Frames.frame(Frames.SENSOR_START, sensor.start().build()));
        }
        Session alive = null;
        for (Session session : sessions) {
            // One that is overtaken before its answer is told so instead of an ACCEPT.
            if (session.isAccepted()) {
                assertThat(session.epoch()).as("one cause, one epoch").isEqualTo(1);
                if (alive == null
                        || Long.compareUnsigned(
                                        session.accept().getSessionId(),
                                        alive.accept().getSessionId())
                                > 0) {
                    alive = session;
                }
            }
        }
        assertThat(alive).isNotNull();
        for (Session session : sessions) {
            if (session != alive) {
                session.expectFinalReject(RejectCode.SUPERSEDED);
            }
        }
        alive.append(Event.of(1)).expectWatermark(1);
        for (Session session : sessions) {
            session.close();
        }
    }

    private static void assertGranted(
            Session session, EpochVerdict verdict, long epoch, long watermark, long presentedEpochWatermark) {
        Accept accept = session.accept();
        assertThat(accept.getVerdict()).isEqualTo(verdict);
        assertThat(session.epoch()).isEqualTo(epoch);
        assertThat(accept.getWatermark()).isEqualTo(watermark);
        assertThat(accept.getPresentedEpochWatermark()).isEqualTo(presentedEpochWatermark);
    }

    private static long appendAndClose(Session session, long upTo) {
        return appendAndClose(session, 1, upTo);
    }

    /** @return the session's id */
    private static long appendAndClose(Session session, long fromSeq, long toSeq) {
        try (session) {
            session.append(Event.range(fromSeq, toSeq)).expectWatermark(toSeq);
            return session.accept().getSessionId();
        }
    }
}
