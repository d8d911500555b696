package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.link.Received.Frame;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random and mutated bytes. Whatever a gateway answers has the form of the page (the client checks each frame), what it
 * acknowledged is in the raw log, and a sensor of another customer notices nothing.
 */
class FuzzIT {
    private static final int CONNECTIONS = 30;
    private static final long QUIET_MS = 150;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12})
    void shouldSurviveRandomBytesInsteadOfAStart(long seed) throws InterruptedException {
        var random = new Random(seed);
        try (ControlClient control = ControlClient.start()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                byte[] bytes = new byte[1 + random.nextInt(2_000)];
                random.nextBytes(bytes);
                if (random.nextBoolean()) {
                    // A short length, so that the type and the body are looked at.
                    bytes = Bytes.join(
                            new Bytes()
                                    .u32(random.nextInt(400))
                                    .u8(random.nextInt(3))
                                    .toArray(),
                            bytes);
                }
                try (Session session = Link.connect(Sensor.fresh("fuzz"))) {
                    session.send(bytes);
                    List<Frame> frames = session.client().untilQuiet(QUIET_MS);
                    assertThat(frames)
                            .as("seed %d, connection %d", seed, i)
                            .allMatch(frame -> frame.type() == Frames.REJECT);
                    end(session, random);
                }
            }
            control.assertServed();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {21, 22})
    void shouldSurviveRandomFrames(long seed) throws InterruptedException {
        var random = new Random(seed);
        try (ControlClient control = ControlClient.start()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                try (Session session = Link.open(Sensor.fresh("fuzz"))) {
                    for (int j = 0; j < 20; j++) {
                        session.send(randomFrame(session, random));
                    }
                    check(session, session.accept().getWatermark(), "seed " + seed + ", connection " + i);
                    end(session, random);
                }
            }
            control.assertServed();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {31, 32, 33})
    void shouldSurviveMutatedSessions(long seed) throws InterruptedException {
        var random = new Random(seed);
        try (ControlClient control = ControlClient.start()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                var sensor = Sensor.fresh("fuzz");
                try (Session session = Link.connect(sensor)) {
                    byte[] start =
                            Frames.frame(Frames.SENSOR_START, sensor.start().build());
                    if (random.nextInt(4) == 0) {
                        session.send(mutated(Bytes.join(start, telemetry(1)), random));
                    } else {
                        session.send(start).expectAccept();
                        session.send(mutated(telemetry(session.epoch()), random));
                    }
                    check(session, session.accept().getWatermark(), "seed " + seed + ", connection " + i);
                    end(session, random);
                }
            }
            control.assertServed();
        }
    }

    /** Every acknowledged seq is in the log. */
    private static void check(Session session, long base, String where) throws InterruptedException {
        long from = base;
        long acknowledged = base;
        for (Frame frame : session.client().untilQuiet(QUIET_MS)) {
            if (frame.type() == Frames.ACCEPT) {
                from = frame.accept().getWatermark();
                acknowledged = from;
            } else if (frame.type() == Frames.ACK) {
                assertThat(Long.compareUnsigned(frame.ack().watermark(), acknowledged))
                        .as(where)
                        .isGreaterThanOrEqualTo(0);
                acknowledged = frame.ack().watermark();
            }
        }
        var settled = Settled.by(Link.raw().telemetryOf(session.sensor()));
        assertThat(settled.watermark(from)).as(where).isGreaterThanOrEqualTo(acknowledged);
    }

    private static byte[] randomFrame(Session session, Random random) {
        byte[] body = new byte[random.nextInt(200)];
        random.nextBytes(body);
        return switch (random.nextInt(6)) {
            case 0 -> Frames.frame(random.nextInt(256), body);
            case 1 -> Frames.frame(Frames.BATCH, body);
            case 2 ->
                Frames.batch(
                        session.batch(Event.of(1 + random.nextInt(9), body)).compressed());
            case 3 ->
                Frames.batch(session.batch(Event.of(1 + random.nextInt(9)))
                        .withCodec(1)
                        .withTransmitted(body));
            case 4 -> Frames.skip(session.epoch(), random.nextInt(4), random.nextInt(9), random.nextInt());
            default -> Frames.ping(new byte[random.nextInt(66)]);
        };
    }

    private static byte[] telemetry(long epoch) {
        return Bytes.join(
                Frames.batch(Batch.of(epoch, 1, Event.range(1, 5))),
                Frames.skip(epoch, 6, 7, 1),
                Frames.batch(Batch.of(epoch, 2, Event.range(8, 40)).compressed()),
                Frames.ping(new byte[8]),
                Frames.stats(1, 2),
                Frames.batch(Batch.of(epoch, 3, Event.range(41, 42))));
    }

    /** One to three changes: bits, numbers at their edges, bytes left out, doubled or put in. */
    private static byte[] mutated(byte[] bytes, Random random) {
        byte[] now = bytes;
        for (int changes = 1 + random.nextInt(3); changes > 0 && now.length > 8; changes--) {
            int at = random.nextInt(now.length - 4);
            int length = 1 + random.nextInt(Math.min(16, now.length - at - 1));
            byte[] before = Arrays.copyOf(now, at);
            byte[] part = Arrays.copyOfRange(now, at, at + length);
            byte[] after = Arrays.copyOfRange(now, at + length, now.length);
            now = switch (random.nextInt(5)) {
                case 0 -> {
                    part[0] ^= (byte) (1 << random.nextInt(8));
                    yield Bytes.join(before, part, after);
                }
                case 1 -> {
                    Arrays.fill(part, (byte) (random.nextBoolean() ? 0xFF : 0));
                    yield Bytes.join(before, part, after);
                }
                case 2 -> Bytes.join(before, after);
                case 3 -> Bytes.join(before, part, part, after);
                default -> {
                    byte[] noise = new byte[length];
                    random.nextBytes(noise);
                    yield Bytes.join(before, noise, part, after);
                }
            };
        }
        return now;
    }

    private static void end(Session session, Random random) {
        if (random.nextBoolean()) {
            session.client().reset();
        }
    }
}
