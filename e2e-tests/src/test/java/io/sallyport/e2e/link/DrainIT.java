package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sallyport.e2e.link.Received.Frame;
import io.sallyport.e2e.link.proto.RejectCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** DRAIN, section 5 of the page, on a gateway of its own that is stopped while sensors are connected. */
class DrainIT {
    private static final int DEADLINE_MS = 20_000;
    private static final int JITTER_MS = 12_345;
    private static final int BATCHES = 100;

    @Test
    void shouldSettleWhatWasReadAndRefuseTheRest() throws Exception {
        LocalStackTarget target = LocalStackTarget.start(Map.of(
                "sallyport.session.link.drain-deadline", DEADLINE_MS + "ms",
                "sallyport.session.link.drain-jitter", JITTER_MS + "ms"));
        CompletableFuture<Void> closing;
        try {
            var certificates = ClientCertificates.of(target);
            Session idle = open(target, certificates);
            List<Session> busy = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                busy.add(open(target, certificates));
            }
            for (Session session : busy) {
                for (int i = 1; i <= BATCHES; i++) {
                    session.append(Event.of(i));
                }
            }
            closing = CompletableFuture.runAsync(target::close);
            List<Frame> toIdle = idle.client().untilEnd();
            assertThat(toIdle).hasSize(1);
            assertDrain(toIdle.get(0));
            for (Session session : busy) {
                assertSettled(session);
            }
        } catch (Throwable e) {
            target.close();
            throw e;
        }
        closing.get(SensorClient.PATIENCE_S * 2, TimeUnit.SECONDS);
    }

    /** Each batch was acknowledged, refused with DRAINING, or not read any more; none is both. */
    private static void assertSettled(Session session) {
        boolean drained = false;
        long watermark = 0;
        Set<Long> refused = new HashSet<>();
        while (session.client().next() instanceof Frame frame) {
            switch (frame.type()) {
                case Frames.ACK -> {
                    assertThat(frame.ack().watermark()).isGreaterThanOrEqualTo(watermark);
                    watermark = frame.ack().watermark();
                }
                case Frames.DRAIN -> {
                    assertThat(drained).as("a second DRAIN").isFalse();
                    assertDrain(frame);
                    drained = true;
                    // Too late: refused with its batch_id, or not read any more. A SKIP is passed over.
                    session.send(
                            Frames.skip(session.epoch(), BATCHES + 1, BATCHES + 1, 1),
                            Frames.batch(session.batch(Event.of(BATCHES + 2L))));
                }
                case Frames.REJECT -> {
                    assertThat(drained).as("before DRAIN: %s", frame).isTrue();
                    assertThat(frame.reject().getCode()).isEqualTo(RejectCode.DRAINING);
                    assertThat(frame.reject().hasBatchId()).isTrue();
                    // Batch n holds event n; the late one holds the next but one.
                    refused.add(Integer.toUnsignedLong(frame.reject().getBatchId()));
                }
                default -> fail("instead of the end: " + frame);
            }
        }
        assertThat(drained).as("DRAIN came").isTrue();
        assertThat(watermark).isBetween(1L, (long) BATCHES);
        for (long batchId : refused) {
            assertThat(batchId).as("both acknowledged and refused").isGreaterThan(watermark);
        }
    }

    private static void assertDrain(Frame frame) {
        assertThat(frame.type()).isEqualTo(Frames.DRAIN);
        // u32 deadline_ms · u32 jitter_ms
        assertThat(frame.body()).hasSize(8);
        var body = ByteBuffer.wrap(frame.body());
        assertThat(body.getInt()).isBetween(1, DEADLINE_MS);
        assertThat(body.getInt()).isEqualTo(JITTER_MS);
    }

    private static Session open(LinkTarget target, ClientCertificates certificates) {
        var sensor = Sensor.fresh("drain");
        return new Session(sensor, SensorClient.connect(target.mtlsListener(), certificates.of(sensor)))
                .send(Frames.frame(Frames.SENSOR_START, sensor.start().build()))
                .expectAccept();
    }
}
