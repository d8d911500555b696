package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.core.RawLog;
import io.sallyport.session.core.RawPressure;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a sensor sees of a shard that is behind. */
class RawPressureIT {

    @Test
    void shouldAskForAPauseWithEachAck() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("p-1")) {
            gateway.log.pressure = new RawPressure(700, false);
            sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 1));
            assertThat(sensor.readAck()).isEqualTo(new Ack(1, 5, 700));
            gateway.log.pressure = RawPressure.NONE;
            sensor.send(FrameType.BATCH, Wire.batch(1, 2, 6, 7, 1));
            assertThat(sensor.readAck()).isEqualTo(new Ack(1, 7, 0));
        }
    }

    @Test
    void shouldTakeNothingWhileTheShardHoldsAndGoOnAfterwards() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("p-2")) {
            gateway.log.hold();
            sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 1));
            Awaitility.await().until(() -> gateway.log.records(RawKind.BATCH).size() == 1);

            gateway.log.pressure = new RawPressure(10_000, true);
            sensor.send(FrameType.BATCH, Wire.batch(1, 2, 6, 9, 1));
            Reject refused = sensor.readReject();
            assertThat(refused.getCode()).isEqualTo(RejectCode.LOG_UNAVAILABLE);
            assertThat(refused.getBatchId()).isEqualTo(2);
            assertThat(refused.getRetryAfterMs()).isBetween(5_000, 15_000);
            assertThat(sensor.readAck()).isEqualTo(new Ack(1, 0, 10_000));
            sensor.send(FrameType.SKIP, Wire.skip(1, 6, 6, 1));
            // The link itself is as alive as ever.
            sensor.send(FrameType.PING, new byte[] {7});
            assertThat(sensor.read(FrameType.PONG)).containsExactly(7);
            assertThat(gateway.log.records(RawKind.SKIP)).isEmpty();
            // What was handed over before the hold is acknowledged as ever.
            gateway.log.records(RawKind.BATCH).get(0).whenDone().done(RawLog.Result.DURABLE);
            assertThat(sensor.readAck()).isEqualTo(new Ack(1, 5, 10_000));

            gateway.log.pressure = RawPressure.NONE;
            Ack released = sensor.readAck();
            while (released.throttleMs() > 0) {
                released = sensor.readAck();
            }
            assertThat(released).isEqualTo(new Ack(1, 5, 0));
            sensor.send(FrameType.BATCH, Wire.batch(1, 3, 6, 9, 1));
            Awaitility.await().until(() -> gateway.log.records(RawKind.BATCH).size() == 2);
            gateway.log.records(RawKind.BATCH).get(1).whenDone().done(RawLog.Result.DURABLE);
            sensor.readAckUpTo(9);
        }
    }
}
