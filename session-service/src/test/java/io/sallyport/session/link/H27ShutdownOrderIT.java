package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.log.v1.Stamp;
import io.sallyport.session.core.RawLog;
import io.sallyport.session.core.RawPressure;
import io.sallyport.session.core.SensorRoute;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** H27, the gateway's part, scaled down: 20 sensors that send all the time, an idle one, a slow log, and a stop. */
class H27ShutdownOrderIT {
    private static final int SENSORS = 20;
    private static final int LOG_LATENCY_MS = 700;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    /** Batches that the log confirmed, by sensor; each batch is one event. */
    private final Map<String, Integer> confirmed = new ConcurrentHashMap<>();

    @AfterEach
    void stop() {
        clock.shutdownNow();
        threads.shutdownNow();
    }

    /** Confirms everything, late. */
    private final class SlowLog implements RawLog {
        @Override
        public void append(SensorRoute route, RawKind kind, byte[] value, Stamp stamp, Completion whenDone) {
            if (kind != RawKind.BATCH) {
                whenDone.done(Result.DURABLE);
                return;
            }
            clock.schedule(
                    () -> {
                        confirmed.merge(route.sensor().sensorId(), 1, Integer::sum);
                        whenDone.done(Result.DURABLE);
                    },
                    LOG_LATENCY_MS,
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public int shard(SensorRoute route) {
            return 0;
        }

        @Override
        public RawPressure pressure(SensorRoute route) {
            return RawPressure.NONE;
        }
    }

    /** What a sensor saw: the last watermark, and whether DRAIN came. */
    private record Seen(String sensor, long acked, boolean drained) {}

    private static Seen readToTheEnd(String name, SensorSocket sensor, CountDownLatch drained) throws IOException {
        long acked = 0;
        boolean drain = false;
        while (true) {
            try {
                SensorSocket.Frame frame = sensor.read();
                if (frame.type() == FrameType.ACK) {
                    acked = Ack.read(ByteBuffer.wrap(frame.body()))
                            .orElseThrow()
                            .watermark();
                } else if (frame.type() == FrameType.DRAIN) {
                    drain = true;
                    drained.countDown();
                }
            } catch (EOFException e) {
                return new Seen(name, acked, drain);
            }
        }
    }

    private static void sendAllTheTime(SensorSocket sensor) {
        try {
            for (int seq = 1; ; seq++) {
                sensor.send(FrameType.BATCH, Wire.batch(1, seq, seq, seq, 10));
                TimeUnit.MILLISECONDS.sleep(20);
            }
        } catch (IOException | InterruptedException e) {
            // The connection ended.
        }
    }

    @Test
    void shouldAcknowledgeWhatItTookInAndNothingElse() throws Exception {
        var settings = TestGateway.with();
        settings.log = new SlowLog();
        settings.drainDeadlineMs = 30_000;
        try (TestGateway gateway = settings.start();
                SensorSocket late = gateway.connect()) {
            var drained = new CountDownLatch(SENSORS + 1);
            var seen = new ArrayList<Future<Seen>>();
            for (int i = 0; i <= SENSORS; i++) {
                String name = "h27-" + i;
                SensorSocket sensor = gateway.session(name);
                seen.add(threads.submit(() -> readToTheEnd(name, sensor, drained)));
                // The last one is idle, and never closes.
                if (i < SENSORS) {
                    threads.execute(() -> sendAllTheTime(sensor));
                }
            }
            org.awaitility.Awaitility.await().until(() -> confirmed.size() == SENSORS);
            Future<?> stopping = threads.submit(gateway::stop);
            assertThat(drained.await(20, TimeUnit.SECONDS)).isTrue();
            late.send(
                    FrameType.SENSOR_START,
                    Wire.start("acme", "h27-late")
                            .setToken(TestPki.shared().token("acme", "h27-late"))
                            .build());
            assertThat(late.readReject().getCode()).isEqualTo(RejectCode.DRAINING);
            stopping.get(30, TimeUnit.SECONDS);
            for (Future<Seen> of : seen) {
                Seen sensor = of.get(20, TimeUnit.SECONDS);
                assertThat(sensor.drained()).isTrue();
                assertThat(sensor.acked())
                        .as(sensor.sensor())
                        .isEqualTo(confirmed.getOrDefault(sensor.sensor(), 0).longValue());
            }
        }
    }
}
