package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.netty.AdmissionLimits;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** H20, scaled down: 120 sensors at once where 10 a second may connect; they come back when they are told to. */
class H20EverybodyReconnectsIT {
    private static final int SENSORS = 120;

    @Test
    void shouldAdmitEverySensorWithinTenTries() throws Exception {
        var settings = TestGateway.with();
        settings.admission = new AdmissionLimits(
                100_000,
                10,
                new AdmissionLimits.Handshakes(
                        10_000, 10_000, 10_000, 10_000, new AdmissionLimits.Silent(10_000, 10_000)),
                10_000,
                new AdmissionLimits.Customer(10, 10_000),
                30_000);
        // Long enough for all of them to finish TLS before the first of them starts.
        settings.handshakeTimeoutMs = 120_000;
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(8);
        try (TestGateway gateway = settings.start()) {
            var sensors = new ArrayList<CompletableFuture<Integer>>();
            var starts = new ArrayList<Runnable>();
            for (int i = 0; i < SENSORS; i++) {
                String sensor = "h20-" + i;
                var tries = new CompletableFuture<Integer>();
                sensors.add(tries);
                SensorSocket connected = gateway.connect();
                starts.add(() -> attempt(connected, gateway, clock, sensor, 1, tries));
            }
            starts.forEach(clock::execute);
            int refused = 0;
            for (CompletableFuture<Integer> sensor : sensors) {
                int tries = sensor.get(60, TimeUnit.SECONDS);
                assertThat(tries).isLessThanOrEqualTo(10);
                refused += tries - 1;
            }
            assertThat(refused).as("it was a storm").isGreaterThan(SENSORS / 2);
            assertThat(gateway.counted("sallyport.sessions.accepted")).isEqualTo(SENSORS);
            assertThat(gateway.counted("sallyport.link.rejects", "code", "ADMISSION_LIMITED"))
                    .isEqualTo(refused);
        } finally {
            clock.shutdownNow();
        }
    }

    /** Tries until it is accepted, and completes with how often that took. */
    private static void attempt(
            SensorSocket connected,
            TestGateway gateway,
            ScheduledExecutorService clock,
            String sensor,
            int number,
            CompletableFuture<Integer> tries) {
        try (SensorSocket socket = connected) {
            socket.send(
                    FrameType.SENSOR_START,
                    Wire.start("acme", sensor)
                            .setToken(TestPki.shared().token("acme", sensor))
                            .build());
            SensorSocket.Frame answer = socket.read();
            if (answer.type() == FrameType.ACCEPT) {
                tries.complete(number);
                return;
            }
            Reject reject = Reject.parseFrom(answer.body());
            assertThat(reject.getCode()).isEqualTo(RejectCode.ADMISSION_LIMITED);
            clock.schedule(
                    () -> again(gateway, clock, sensor, number + 1, tries),
                    reject.getRetryAfterMs(),
                    TimeUnit.MILLISECONDS);
        } catch (Exception | AssertionError e) {
            tries.completeExceptionally(e);
        }
    }

    private static void again(
            TestGateway gateway,
            ScheduledExecutorService clock,
            String sensor,
            int number,
            CompletableFuture<Integer> tries) {
        try {
            attempt(gateway.connect(), gateway, clock, sensor, number, tries);
        } catch (Exception | AssertionError e) {
            tries.completeExceptionally(e);
        }
    }
}
