package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.Stats;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.session.core.RawLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A session through the real pipeline: what is admitted, appended, reported and acknowledged. */
class LinkSessionIT {

    @Test
    void shouldAcceptAppendAndAcknowledge() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.connect()) {
            Accept accept = sensor.start(Wire.start("acme", "s-1")
                    .setToken(TestPki.shared().token("acme", "s-1"))
                    .setHost(HostMetadata.newBuilder().setHostname("h"))
                    .build());
            assertThat(accept.getEpoch()).isEqualTo(1);
            assertThat(accept.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_FIRST);
            assertThat(accept.getWatermark()).isZero();
            assertThat(accept.getMaxFrameBytes()).isEqualTo(1_048_576);
            assertThat(accept.getMaxBatchEvents()).isEqualTo(512);
            assertThat(accept.getMaxEventBytes()).isEqualTo(65_536);
            assertThat(accept.getMaxBatchBytes()).isEqualTo(4_194_304);
            assertThat(accept.getKeepaliveMs()).isEqualTo(60_000);
            assertThat(accept.getMaxUnackedEvents()).isEqualTo(1_024);
            assertThat(accept.getServerTimeUs()).isPositive();
            byte[] body = Wire.batch(1, 7, 1, 3, 10);
            sensor.send(FrameType.BATCH, body);
            assertThat(sensor.readAck()).isEqualTo(new Ack(1, 3, 0));
            sensor.send(FrameType.SKIP, Wire.skip(1, 4, 9, 1));
            assertThat(sensor.readAck()).isEqualTo(new Ack(1, 9, 0));

            var open = gateway.log.records(RawKind.EPOCH_OPEN);
            assertThat(open).hasSize(1);
            assertThat(EpochOpen.parseFrom(open.get(0).value()).getEpoch()).isEqualTo(1);
            var batch = gateway.log.records(RawKind.BATCH).get(0);
            assertThat(batch.value()).isEqualTo(body);
            assertThat(batch.stamp().getCustomerId()).isEqualTo("acme");
            assertThat(batch.stamp().getSensorId()).isEqualTo("s-1");
            assertThat(batch.stamp().getSessionId()).isEqualTo(accept.getSessionId());
            assertThat(batch.stamp().getNode()).isEqualTo(3);
            assertThat(gateway.log.records(RawKind.SKIP).get(0).value()).isEqualTo(Wire.skip(1, 4, 9, 1));
            assertThat(gateway.authority.reports.get(0).getKind()).isEqualTo(ReportKind.REPORT_FIRST_APPEND);
            assertThat(gateway.authority.claims.get(0).getPeer()).startsWith("127.0.0.1:");
            assertThat(gateway.commands.metadata.get(0).getHost().getHostname()).isEqualTo("h");
            assertThat(gateway.counted("sallyport.ingest.events", "customer", "acme"))
                    .isEqualTo(3);
        }
    }

    @Test
    void shouldReportItsWatermarkAtTheEnd() throws IOException {
        try (TestGateway gateway = TestGateway.start()) {
            try (SensorSocket sensor = gateway.session("s-1")) {
                sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 1));
                sensor.readAckUpTo(5);
            }
            Awaitility.await().until(() -> gateway.authority.reports.size() == 2);
            SessionReport last = gateway.authority.reports.get(1);
            assertThat(last.getKind()).isEqualTo(ReportKind.REPORT_DISCONNECTED);
            assertThat(last.getAcked()).isEqualTo(5);
            assertThat(last.getEpoch()).isEqualTo(1);
            assertThat(gateway.sessions()).isZero();
        }
    }

    @Test
    void shouldNotAcknowledgeBeforeTheFirstAppendIsReported() throws IOException {
        try (TestGateway gateway = TestGateway.start()) {
            gateway.authority.holdReports = true;
            try (SensorSocket sensor = gateway.session("s-1")) {
                sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 1));
                Awaitility.await().until(() -> gateway.authority.heldReports.size() == 1);
                sensor.send(FrameType.PING, new byte[] {1});
                // The PONG overtakes nothing: an ACK would have come before it.
                sensor.read(FrameType.PONG);
                gateway.authority.heldReports.get(0).completeExceptionally(new IllegalStateException("lost"));
                Awaitility.await().until(() -> gateway.authority.heldReports.size() == 2);
                gateway.authority.heldReports.get(1).complete(null);
                assertThat(sensor.readAck().watermark()).isEqualTo(5);
            }
        }
    }

    @Test
    void shouldCoalesceAcksAndStillTellEachDurableAppend() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("s-1")) {
            sensor.send(FrameType.BATCH, Wire.batchOf(1, 1, 5));
            assertThat(sensor.readAck()).isEqualTo(new Ack(1, 0, 0));
            sensor.send(FrameType.BATCH, Wire.batchOf(1, 2, 5));
            assertThat(sensor.readAck()).isEqualTo(new Ack(1, 0, 0));
            assertThat(gateway.log.records(RawKind.BATCH)).hasSize(2);
        }
    }

    @Test
    void shouldRefuseABatchAndGoOn() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("s-1")) {
            byte[] corrupt = Wire.batch(1, 77, 1, 2, 5);
            corrupt[corrupt.length - 1] ^= 1;
            sensor.send(FrameType.BATCH, corrupt);
            var reject = sensor.readReject();
            assertThat(reject.getCode()).isEqualTo(RejectCode.BATCH_CORRUPT);
            assertThat(reject.getBatchId()).isEqualTo(77);
            sensor.send(FrameType.BATCH, Wire.batch(2, -1, 1, 2, 5));
            reject = sensor.readReject();
            assertThat(reject.getCode()).isEqualTo(RejectCode.STALE_EPOCH);
            assertThat(reject.getBatchId()).isEqualTo(-1);
            sensor.send(FrameType.BATCH, Wire.batch(1, 0, 1, 2, 5));
            assertThat(sensor.readAck().watermark()).isEqualTo(2);
            assertThat(gateway.counted("sallyport.link.rejects", "code", "BATCH_CORRUPT"))
                    .isEqualTo(1);
            assertThat(gateway.counted("sallyport.link.rejects", "code", "STALE_EPOCH"))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldAnswerAPingWithItsBytesAndIgnoreAPong() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("s-2")) {
            sensor.send(FrameType.PONG, new byte[64]);
            sensor.send(FrameType.PING, new byte[0]);
            assertThat(sensor.read(FrameType.PONG)).isEmpty();
            byte[] bytes = new byte[64];
            Arrays.fill(bytes, (byte) 9);
            sensor.send(FrameType.PING, bytes);
            assertThat(sensor.read(FrameType.PONG)).isEqualTo(bytes);
        }
    }

    @Test
    void shouldTakeStatsOnceInTenSeconds() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("s-2")) {
            var body = ByteBuffer.allocate(Stats.BYTES);
            new Stats(12, -1).write(body);
            sensor.send(FrameType.STATS, body.array()).send(FrameType.STATS, body.array());
            sensor.send(FrameType.PING, new byte[0]);
            sensor.read(FrameType.PONG);
            assertThat(gateway.counted("sallyport.link.notes", "kind", "stats_too_early"))
                    .isEqualTo(1);
            assertThat(gateway.meters.get("sallyport.spool.events").summary().totalAmount())
                    .isEqualTo(12);
        }
    }

    @Test
    void shouldPingAndGiveUpASensorThatStaysSilent() throws IOException {
        var settings = TestGateway.with();
        settings.keepaliveMs = 200;
        try (TestGateway gateway = settings.start();
                SensorSocket sensor = gateway.session("s-3")) {
            for (int i = 0; i < 3; i++) {
                sensor.read(FrameType.PING);
            }
            assertThat(sensor.isClosedByPeer()).isTrue();
            assertThat(gateway.counted("sallyport.link.notes", "kind", "keepalive_lost"))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldTakeAnyFrameForAnAnswer() throws IOException {
        var settings = TestGateway.with();
        settings.keepaliveMs = 200;
        try (TestGateway gateway = settings.start();
                SensorSocket sensor = gateway.session("s-3")) {
            for (int i = 0; i < 6; i++) {
                sensor.read(FrameType.PING);
                sensor.send(FrameType.PONG, new byte[0]);
            }
        }
    }

    @Test
    void shouldNeverReuseASessionId() throws IOException {
        try (TestGateway gateway = TestGateway.start()) {
            long last = 0;
            for (int i = 0; i < 20; i++) {
                try (SensorSocket sensor = gateway.connect()) {
                    long id = sensor.start(Wire.start("acme", "same")
                                    .setToken(TestPki.shared().token("acme", "same"))
                                    .setLastSessionId(last)
                                    .build())
                            .getSessionId();
                    assertThat(Long.compareUnsigned(id, last)).isPositive();
                    last = id;
                }
            }
        }
    }

    /** What the log refuses for its size is refused once for each resend, and is an alert. */
    @Test
    void shouldTellWhatTheLogRefuses() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("s-4")) {
            gateway.log.answer(RawLog.Result.TOO_LARGE);
            sensor.send(FrameType.BATCH, Wire.batch(1, 4, 1, 2, 5));
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.BATCH_TOO_LARGE);
            gateway.log.answer(RawLog.Result.UNAVAILABLE);
            sensor.send(FrameType.BATCH, Wire.batch(1, 5, 1, 2, 5));
            var reject = sensor.readReject();
            assertThat(reject.getCode()).isEqualTo(RejectCode.LOG_UNAVAILABLE);
            assertThat(reject.getBatchId()).isEqualTo(5);
            assertThat(reject.getRetryAfterMs()).isPositive();
            gateway.log.answer(RawLog.Result.DURABLE);
            sensor.send(FrameType.BATCH, Wire.batch(1, 6, 1, 2, 5));
            assertThat(sensor.readAck().watermark()).isEqualTo(2);
            assertThat(gateway.counted("sallyport.alerts", "kind", "RECORD_REFUSED_FOR_SIZE"))
                    .isEqualTo(1);
        }
    }

    /** Whatever a session ends for, the sensor can read why, even while it is still sending. */
    @Test
    void shouldNotLoseTheRejectToATcpReset() throws IOException {
        try (TestGateway gateway = TestGateway.start()) {
            for (int i = 0; i < 20; i++) {
                try (SensorSocket sensor = gateway.session("s-5")) {
                    byte[] much = new byte[300_000];
                    much[0] = (byte) 0xFF;
                    try {
                        sensor.raw(much);
                    } catch (IOException e) {
                        // The gateway has closed before all was written; what it said must be readable all the same.
                    }
                    assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.FRAME_TOO_LARGE);
                    assertThat(sensor.isClosedByPeer()).isTrue();
                }
            }
            assertThat(gateway.counted("sallyport.link.rejects", "code", "FRAME_TOO_LARGE"))
                    .isEqualTo(20);
        }
    }
}
