package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.core.RawLog;
import java.io.IOException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** H06: "highest seen" moves before the store confirms; the resend is taken for a duplicate and the data is gone. */
class H06AppendFailsAfterReceiptIT {

    @Test
    void shouldAcknowledgeOnlyTheAttemptThatTheLogConfirms() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("h06-a")) {
            gateway.log.answer(RawLog.Result.UNAVAILABLE);
            byte[] body = Wire.batch(1, 1, 1, 100, 1);
            sensor.send(FrameType.BATCH, body);
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.LOG_UNAVAILABLE);
            gateway.log.answer(RawLog.Result.DURABLE);
            sensor.send(FrameType.BATCH, body);
            assertThat(sensor.readAck().watermark()).isEqualTo(100);
            assertThat(gateway.log.records(RawKind.BATCH)).hasSize(2);
        }
    }

    @Test
    void shouldAppendAResendAgainWhoseFirstConfirmationIsLost() throws IOException {
        try (TestGateway gateway = TestGateway.start()) {
            gateway.log.hold();
            byte[] body = Wire.batch(1, 1, 1, 100, 1);
            try (SensorSocket sensor = gateway.session("h06-b")) {
                sensor.send(FrameType.BATCH, body);
                Awaitility.await()
                        .until(() -> gateway.log.records(RawKind.BATCH).size() == 1);
            }
            try (SensorSocket sensor = gateway.session("h06-b")) {
                sensor.send(FrameType.BATCH, body);
                Awaitility.await()
                        .until(() -> gateway.log.records(RawKind.BATCH).size() == 2);
                // The confirmation of the dead session belongs to nobody; the new one counts its own.
                gateway.log.records(RawKind.BATCH).get(0).whenDone().done(RawLog.Result.DURABLE);
                sensor.send(FrameType.PING, new byte[0]);
                sensor.read(FrameType.PONG);
                gateway.log.records(RawKind.BATCH).get(1).whenDone().done(RawLog.Result.DURABLE);
                assertThat(sensor.readAck().watermark()).isEqualTo(100);
            }
        }
    }
}
