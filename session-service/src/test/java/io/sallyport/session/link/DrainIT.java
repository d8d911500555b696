package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.Drain;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.core.RawLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A node that goes away loses nothing that it took in, and takes nothing in that it will not finish. */
class DrainIT {

    private static Thread stopping(TestGateway gateway) {
        var thread = new Thread(gateway::stop);
        thread.start();
        return thread;
    }

    private static Drain readDrain(SensorSocket sensor) throws IOException {
        return Drain.read(ByteBuffer.wrap(sensor.read(FrameType.DRAIN))).orElseThrow();
    }

    @Test
    void shouldFinishWhatItTookInAndRefuseTheRest() throws Exception {
        try (TestGateway gateway = TestGateway.start()) {
            try (SensorSocket sensor = gateway.session("d-1");
                    SensorSocket late = gateway.connect()) {
                gateway.log.hold();
                sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 1));
                Awaitility.await()
                        .until(() -> gateway.log.records(RawKind.BATCH).size() == 1);
                Thread stopping = stopping(gateway);
                Drain drain = readDrain(sensor);
                // The later half is dealt out among the connections.
                assertThat(drain.deadlineMs()).isBetween(2_500, 5_000);
                assertThat(drain.jitterMs()).isEqualTo(1_000);

                sensor.send(FrameType.SKIP, Wire.skip(1, 6, 7, 1));
                sensor.send(FrameType.BATCH, Wire.batch(1, 2, 6, 7, 1));
                var refused = sensor.readReject();
                assertThat(refused.getCode()).isEqualTo(RejectCode.DRAINING);
                assertThat(refused.getBatchId()).isEqualTo(2);
                late.send(
                        FrameType.SENSOR_START,
                        Wire.start("acme", "d-2")
                                .setToken(TestPki.shared().token("acme", "d-2"))
                                .build());
                var notNow = late.readReject();
                assertThat(notNow.getCode()).isEqualTo(RejectCode.DRAINING);
                assertThat(notNow.getRetryAfterMs()).isPositive();

                gateway.log.records(RawKind.BATCH).get(0).whenDone().done(RawLog.Result.DURABLE);
                assertThat(sensor.readAck().watermark()).isEqualTo(5);
                assertThat(sensor.isClosedByPeer()).isTrue();
                stopping.join();
            }
            assertThat(gateway.log.records(RawKind.SKIP)).isEmpty();
            assertThat(gateway.log.records(RawKind.BATCH)).hasSize(1);
        }
    }

    @Test
    void shouldEndAtTheDeadlineAllTheSame() throws Exception {
        var settings = TestGateway.with();
        settings.drainDeadlineMs = 600;
        try (TestGateway gateway = settings.start();
                SensorSocket sensor = gateway.session("d-3")) {
            gateway.log.hold();
            sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 1));
            Awaitility.await().until(() -> gateway.log.records(RawKind.BATCH).size() == 1);
            Thread stopping = stopping(gateway);
            readDrain(sensor);
            assertThat(sensor.isClosedByPeer()).isTrue();
            stopping.join();
        }
    }

    @Test
    void shouldNotWaitForASensorThatIsIdle() throws Exception {
        var settings = TestGateway.with();
        settings.drainDeadlineMs = 60_000;
        try (TestGateway gateway = settings.start();
                SensorSocket sensor = gateway.session("d-4")) {
            Thread stopping = stopping(gateway);
            readDrain(sensor);
            assertThat(sensor.isClosedByPeer()).isTrue();
            stopping.join(20_000);
            assertThat(stopping.isAlive()).isFalse();
        }
    }
}
