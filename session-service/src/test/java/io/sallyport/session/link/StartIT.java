package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.session.core.RawLog;
import io.sallyport.session.netty.AdmissionLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** From SENSOR_START to ACCEPT or REJECT: the node's own checks, the authority's answers, the epoch in the log. */
class StartIT {
    private final TestGateway gateway = TestGateway.start();

    @AfterEach
    void stop() {
        gateway.close();
    }

    private static SensorStart.Builder start(String sensor) {
        return Wire.start("acme", sensor).setToken(TestPki.shared().token("acme", sensor));
    }

    private Reject refused(SensorStart.Builder start) throws IOException {
        try (SensorSocket sensor = gateway.connect()) {
            sensor.send(FrameType.SENSOR_START, start.build());
            Reject reject = sensor.readReject();
            assertThat(sensor.isClosedByPeer()).isTrue();
            assertThat(reject.hasBatchId()).isFalse();
            return reject;
        }
    }

    private void answer(ClaimOutcome outcome, int retryAfterMs) {
        gateway.authority.script = (sensor, claim) -> CompletableFuture.completedFuture(EpochAnswer.newBuilder()
                .setClaimId(claim.getClaimId())
                .setOutcome(outcome)
                .setRetryAfterMs(retryAfterMs)
                .setNewestSessionId(claim.getSessionId() + (1L << 30))
                .build());
    }

    @Test
    void shouldResumeAboveBothWatermarks() throws IOException {
        gateway.authority.script = (sensor, claim) -> CompletableFuture.completedFuture(
                FakeAuthority.usual(claim).setWatermark(90).build());
        try (SensorSocket sensor = gateway.connect()) {
            var accept = sensor.start(
                    start("r-1").setEpoch(4).setWatermark(80).setNextSeq(200).build());
            assertThat(accept.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            assertThat(accept.getWatermark()).isEqualTo(90);
            sensor.send(FrameType.BATCH, Wire.batch(4, 1, 91, 95, 1));
            assertThat(sensor.readAck().watermark()).isEqualTo(95);
            var stamp = gateway.log.records(RawKind.BATCH).get(0).stamp();
            assertThat(stamp.getBaseWatermark()).isEqualTo(90);
            assertThat(stamp.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
        }
        try (SensorSocket sensor = gateway.connect()) {
            assertThat(sensor.start(start("r-1")
                                    .setEpoch(4)
                                    .setWatermark(150)
                                    .setNextSeq(200)
                                    .build())
                            .getWatermark())
                    .as("never below what the sensor knows")
                    .isEqualTo(150);
        }
        assertThat(gateway.log.records(RawKind.EPOCH_OPEN)).isEmpty();
    }

    @Test
    void shouldOpenANewEpochInTheLogBeforeTheSensorHearsOfIt() throws IOException {
        gateway.authority.script = (sensor, claim) -> CompletableFuture.completedFuture(EpochAnswer.newBuilder()
                .setOutcome(ClaimOutcome.CLAIM_GRANTED)
                .setEpoch(6)
                .setVerdict(EpochVerdict.NEW_EPOCH_ROLLBACK)
                .setPresentedEpochWatermark(299)
                .setClosedWatermark(1_000)
                .build());
        try (SensorSocket sensor = gateway.connect()) {
            var accept = sensor.start(
                    start("r-2").setEpoch(4).setWatermark(299).setNextSeq(300).build());
            assertThat(accept.getEpoch()).isEqualTo(6);
            assertThat(accept.getWatermark()).isZero();
            assertThat(accept.getPresentedEpochWatermark()).isEqualTo(299);
            var open = EpochOpen.parseFrom(
                    gateway.log.records(RawKind.EPOCH_OPEN).get(0).value());
            assertThat(open)
                    .isEqualTo(EpochOpen.newBuilder()
                            .setEpoch(6)
                            .setVerdict(EpochVerdict.NEW_EPOCH_ROLLBACK)
                            .setPresentedEpoch(4)
                            .setNextSeq(300)
                            .setClosedWatermark(1_000)
                            .build());
        }
    }

    @Test
    void shouldRefuseWhereTheEpochCannotBeOpened() throws IOException {
        gateway.log.answer(RawLog.Result.UNAVAILABLE);
        Reject reject = refused(start("r-3"));
        assertThat(reject.getCode()).isEqualTo(RejectCode.LOG_UNAVAILABLE);
        assertThat(reject.getRetryAfterMs()).isPositive();
        Awaitility.await().until(() -> gateway.authority.reports.size() == 1);
        assertThat(gateway.authority.reports.get(0).getKind()).isEqualTo(ReportKind.REPORT_DISCONNECTED);
    }

    @Test
    void shouldTranslateTheAuthoritysRefusals() throws IOException {
        answer(ClaimOutcome.CLAIM_EXHAUSTED, 0);
        assertThat(refused(start("r-4")).getCode()).isEqualTo(RejectCode.EPOCH_EXHAUSTED);
        answer(ClaimOutcome.CLAIM_SLOWED, 8_000);
        Reject slowed = refused(start("r-4"));
        assertThat(slowed.getCode()).isEqualTo(RejectCode.ADMISSION_LIMITED);
        assertThat(slowed.getRetryAfterMs()).isBetween(4_000, 12_000);
        gateway.authority.script = (sensor, claim) -> CompletableFuture.failedFuture(new TimeoutException());
        Reject unavailable = refused(start("r-4"));
        assertThat(unavailable.getCode()).isEqualTo(RejectCode.AUTHORITY_UNAVAILABLE);
        assertThat(unavailable.getRetryAfterMs()).isPositive();
    }

    @Test
    void shouldMintAboveANewerSessionAndGiveWayInTheEnd() throws IOException {
        answer(ClaimOutcome.CLAIM_SUPERSEDED, 0);
        assertThat(refused(start("r-5")).getCode()).isEqualTo(RejectCode.SUPERSEDED);
        var claims = gateway.authority.claims;
        assertThat(claims).hasSize(4);
        for (int i = 1; i < claims.size(); i++) {
            assertThat(SessionId.isNewer(
                            claims.get(i).getSessionId(), claims.get(i - 1).getSessionId() + (1L << 30)))
                    .isTrue();
            assertThat(claims.get(i).getClaimId())
                    .isNotEqualTo(claims.get(i - 1).getClaimId());
        }
    }

    @Test
    void shouldAnswerInTimeWhereTheAuthorityDoesNot() throws IOException {
        var late = new CompletableFuture<EpochAnswer>();
        gateway.authority.script = (sensor, claim) -> late;
        assertThat(refused(start("r-6")).getCode()).isEqualTo(RejectCode.AUTHORITY_UNAVAILABLE);
        // Granted too late: the session is given back.
        late.complete(EpochAnswer.newBuilder()
                .setOutcome(ClaimOutcome.CLAIM_GRANTED)
                .setEpoch(1)
                .build());
        Awaitility.await().until(() -> gateway.authority.reports.size() == 1);
        assertThat(gateway.authority.reports.get(0).getKind()).isEqualTo(ReportKind.REPORT_DISCONNECTED);
        assertThat(gateway.sessions()).isZero();
    }

    @Test
    void shouldRefuseCustomersThatAreNotHere() throws IOException {
        var unknown = Wire.start("nobody", "s").setToken(TestPki.shared().token("nobody", "s"));
        assertThat(refused(unknown).getCode()).isEqualTo(RejectCode.UNKNOWN_CUSTOMER);
        gateway.control.moved.put("acme", "cell-2.example:7443");
        Reject moved = refused(start("r-7"));
        assertThat(moved.getCode()).isEqualTo(RejectCode.MOVED);
        assertThat(moved.getEndpoint()).isEqualTo("cell-2.example:7443");
        gateway.control.loaded = false;
        Reject starting = refused(start("r-7"));
        assertThat(starting.getCode()).isEqualTo(RejectCode.AUTHORITY_UNAVAILABLE);
        assertThat(starting.getRetryAfterMs()).isPositive();
        assertThat(gateway.authority.claims).isEmpty();
    }

    @Test
    void shouldEndASessionWhoseCustomerIsSuspended() throws IOException {
        var settings = TestGateway.with();
        // How often a live session is looked at: of its customer never less often than this.
        settings.admission = TestGateway.admission(100_000, 10_000, 10_000, 200);
        try (TestGateway watchful = settings.start();
                SensorSocket sensor = watchful.session("r-8")) {
            watchful.control.active.remove("acme");
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.UNKNOWN_CUSTOMER);
            assertThat(sensor.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void shouldEndAfterTheFirstWrongFrameWhileTheAuthorityThinks() throws IOException {
        gateway.authority.script = (sensor, claim) -> new CompletableFuture<>();
        try (SensorSocket sensor = gateway.connect()) {
            sensor.send(FrameType.SENSOR_START, start("r-9").build());
            sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 2, 1));
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.PROTOCOL_VIOLATION);
            assertThat(sensor.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void shouldTellTheHandshakeTimeout() throws IOException {
        var settings = TestGateway.with();
        settings.handshakeTimeoutMs = 500;
        try (TestGateway quick = settings.start();
                SensorSocket sensor = quick.connect()) {
            sensor.raw(new byte[] {0, 0, 0, 50, 1, 8});
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.HANDSHAKE_TIMEOUT);
            assertThat(sensor.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void shouldLimitSessionsPerNode() throws IOException {
        var settings = TestGateway.with();
        settings.admission = TestGateway.admission(1_000, 100, 2, 30_000);
        try (TestGateway small = settings.start();
                SensorSocket first = small.session("a");
                SensorSocket second = small.session("b");
                SensorSocket third = small.connect()) {
            third.send(FrameType.SENSOR_START, start("c").build());
            Reject full = third.readReject();
            assertThat(full.getCode()).isEqualTo(RejectCode.ADMISSION_LIMITED);
            assertThat(full.getRetryAfterMs()).isPositive();
            assertThat(first.socket().isConnected() && second.socket().isConnected())
                    .isTrue();
        }
    }

    private static TestGateway.Settings twoSessionsPerCustomer() {
        var settings = TestGateway.with();
        settings.admission = new AdmissionLimits(
                1_000,
                10,
                new AdmissionLimits.Handshakes(100, 100, 100, 100, new AdmissionLimits.Silent(100, 100)),
                100,
                new AdmissionLimits.Customer(1_000, 2),
                30_000);
        return settings;
    }

    @Test
    void shouldLimitSessionsPerCustomerAndSpareTheOthers() throws IOException {
        var settings = twoSessionsPerCustomer();
        try (TestGateway small = settings.start();
                SensorSocket first = small.session("a");
                SensorSocket second = small.session("b");
                SensorSocket third = small.connect();
                SensorSocket other = small.connect()) {
            third.send(FrameType.SENSOR_START, start("c").build());
            assertThat(third.readReject().getCode()).isEqualTo(RejectCode.ADMISSION_LIMITED);
            other.start(Wire.start("globex", "a")
                    .setToken(TestPki.shared().token("globex", "a"))
                    .build());
            // Who comes back before the old connection is gone takes nobody's place.
            try (SensorSocket again = small.session("b")) {
                assertThat(second.readReject().getCode()).isEqualTo(RejectCode.SUPERSEDED);
                first.close();
                Awaitility.await().until(() -> small.sessions() == 2);
                try (SensorSocket next = small.session("c")) {
                    assertThat(next.socket().isConnected() && again.socket().isConnected())
                            .isTrue();
                }
            }
        }
    }

    @Test
    void shouldCountSessionsThatAreStillOpeningTowardsTheCustomersLimit() throws IOException {
        var settings = twoSessionsPerCustomer();
        try (TestGateway small = settings.start();
                SensorSocket third = small.connect()) {
            small.authority.script = (sensor, claim) -> new CompletableFuture<>();
            var opening = new ArrayList<SensorSocket>();
            for (String name : List.of("a", "b")) {
                SensorSocket socket = small.connect();
                socket.send(FrameType.SENSOR_START, start(name).build());
                opening.add(socket);
            }
            Awaitility.await().until(() -> small.authority.claims.size() == 2);
            third.send(FrameType.SENSOR_START, start("c").build());
            assertThat(third.readReject().getCode()).isEqualTo(RejectCode.ADMISSION_LIMITED);
            for (SensorSocket socket : opening) {
                socket.close();
            }
            small.authority.script = (sensor, claim) ->
                    CompletableFuture.completedFuture(FakeAuthority.usual(claim).build());
            Awaitility.await().until(() -> small.gauge("sallyport.handshakes") == 0);
            small.session("c").close();
        }
    }

    @Test
    void shouldAskACustomerNobodyKnowsYetToComeAgain() throws IOException {
        gateway.control.undecided.add("hooli");
        try (SensorSocket sensor = gateway.connect()) {
            sensor.send(
                    FrameType.SENSOR_START,
                    Wire.start("hooli", "a")
                            .setToken(TestPki.shared().token("hooli", "a"))
                            .build());
            Reject reject = sensor.readReject();
            assertThat(reject.getCode()).isEqualTo(RejectCode.AUTHORITY_UNAVAILABLE);
            assertThat(reject.getRetryAfterMs()).isPositive();
        }
    }

    @Test
    void shouldLimitHandshakesPerAddress() throws IOException {
        var settings = TestGateway.with();
        settings.admission = TestGateway.admission(1, 100, 100, 30_000);
        try (TestGateway small = settings.start()) {
            int accepted = 0;
            while (true) {
                try (SensorSocket sensor = small.connect()) {
                    var answer = sensor.send(
                                    FrameType.SENSOR_START,
                                    start("l-" + accepted).build())
                            .read();
                    if (answer.type() == FrameType.REJECT) {
                        Reject limited = Reject.parseFrom(answer.body());
                        assertThat(limited.getCode()).isEqualTo(RejectCode.ADMISSION_LIMITED);
                        // Drawn around the middle, so that they do not all come back at once.
                        assertThat(limited.getRetryAfterMs()).isBetween(2_500, 7_500);
                        break;
                    }
                    assertThat(++accepted).isLessThan(50);
                }
            }
            assertThat(accepted).isPositive();
        }
    }

    @Test
    void shouldLimitConnectionsWithoutASession() throws Exception {
        var settings = TestGateway.with();
        settings.admission = TestGateway.admission(1_000, 2, 100, 30_000);
        try (TestGateway small = settings.start();
                SensorSocket first = small.connect();
                SensorSocket second = small.connect()) {
            Awaitility.await().until(() -> small.gauge("sallyport.handshakes") == 2);
            assertThatThrownBy(small::connect).isInstanceOf(IOException.class);
            first.close();
            // Whoever has a session does not count.
            Awaitility.await().until(() -> small.gauge("sallyport.handshakes") == 1);
            try (SensorSocket one = small.session("a");
                    SensorSocket two = small.session("b")) {
                assertThat(one.socket().isConnected() && two.socket().isConnected())
                        .isTrue();
            }
            assertThat(second.socket().isConnected()).isTrue();
            assertThat(small.counted("sallyport.link.notes", "kind", "handshake_limit"))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldGiveTheOlderSessionOfASensorUp() throws IOException {
        try (SensorSocket older = gateway.session("r-10");
                SensorSocket newer = gateway.session("r-10")) {
            Reject reject = older.readReject();
            assertThat(reject.getCode()).isEqualTo(RejectCode.SUPERSEDED);
            assertThat(reject.getRetryAfterMs()).isPositive();
            assertThat(older.isClosedByPeer()).isTrue();
            newer.send(FrameType.BATCH, Wire.batch(1, 1, 1, 2, 1));
            newer.readAckUpTo(2);
            Awaitility.await().until(() -> gateway.sessions() == 1);
        }
    }

    @Test
    void shouldGiveWayToSessionsAndEpochsOfOtherNodes() throws IOException {
        var key = new SensorKey("acme", "r-11");
        try (SensorSocket sensor = gateway.session("r-11")) {
            long own = gateway.authority.newestSessionId(key);
            gateway.authority.change(key, 1, own);
            gateway.authority.change(new SensorKey("acme", "other"), 9, own + 1);
            sensor.send(FrameType.PING, new byte[0]);
            sensor.read(FrameType.PONG);
            gateway.authority.change(key, 1, own + 1);
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.SUPERSEDED);
        }
        try (SensorSocket sensor = gateway.session("r-11")) {
            gateway.authority.change(key, 2, gateway.authority.newestSessionId(key));
            Reject stale = sensor.readReject();
            assertThat(stale.getCode()).isEqualTo(RejectCode.STALE_EPOCH);
            assertThat(stale.hasBatchId()).isFalse();
            assertThat(sensor.isClosedByPeer()).isTrue();
        }
    }
}
