package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.ReportKind;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a session does when nothing goes wrong, through the real pipeline. */
class LinkSessionTest {
    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = TestGateway.start();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Test
    void shouldAcceptAppendAndAcknowledge() throws IOException {
        try (SensorSocket sensor = gateway.connect()) {
            Accept accept = sensor.start(Wire.start("acme", "s-1")
                    .setToken(TestPki.shared().token("acme", "s-1"))
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
            byte[] body = Wire.batch(1, 7, 1, 3, 10);
            sensor.send(FrameType.BATCH, body);
            assertThat(sensor.readAck().watermark()).isEqualTo(3);
            sensor.send(FrameType.SKIP, Wire.skip(1, 4, 9, 1));
            assertThat(sensor.readAck().watermark()).isEqualTo(9);

            var open = gateway.log.records(RawKind.EPOCH_OPEN);
            assertThat(open).hasSize(1);
            assertThat(EpochOpen.parseFrom(open.get(0).value()).getEpoch()).isEqualTo(1);
            var batch = gateway.log.records(RawKind.BATCH).get(0);
            assertThat(batch.value()).isEqualTo(body);
            assertThat(batch.stamp().getCustomerId()).isEqualTo("acme");
            assertThat(batch.stamp().getSensorId()).isEqualTo("s-1");
            assertThat(batch.stamp().getSessionId()).isEqualTo(accept.getSessionId());
            assertThat(batch.stamp().getNode()).isEqualTo(3);
            assertThat(gateway.authority.reports.get(0).getKind()).isEqualTo(ReportKind.REPORT_FIRST_APPEND);
        }
    }

    @Test
    void shouldAnswerAPingWithItsBytes() throws IOException {
        try (SensorSocket sensor = gateway.session("s-2")) {
            byte[] bytes = {1, 2, 3};
            sensor.send(FrameType.PING, bytes);
            assertThat(sensor.read(FrameType.PONG)).isEqualTo(bytes);
        }
    }
}
