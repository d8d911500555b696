package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Clients that hold on to what they get: connections, half frames, unread answers. */
class HostileClientsIT {

    @Test
    void shouldOutliveManyHalfMadeConnections() throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try (ControlClient control = ControlClient.start()) {
            for (int i = 0; i < 300; i++) {
                // From four networks, so that the limit per address is not what closes them.
                var from = InetAddress.getByName("127.0." + (20 + i % 4) + ".1");
                var listener = Link.target().mtlsListener();
                var socket = new Socket(listener.getAddress(), listener.getPort(), from, 0);
                sockets.add(socket);
                if (i % 3 == 0) {
                    // The first bytes of a ClientHello: handshake, version, 508 bytes to come.
                    socket.getOutputStream().write(new byte[] {0x16, 0x03, 0x01, 0x01, (byte) 0xFC, 0x01});
                }
            }
            for (int i = 0; i < 5; i++) {
                try (Session good = Link.open(Sensor.fresh("between"))) {
                    good.append(Event.of(1)).expectWatermark(1);
                }
            }
            for (Socket socket : sockets) {
                assertThat(PlainTcp.untilClosed(socket)).isEmpty();
            }
            control.assertServed();
        }
    }

    @Test
    void shouldForgetFramesThatNeverEnd() throws IOException {
        try (ControlClient control = ControlClient.start()) {
            List<Sensor> sensors = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                var sensor = Sensor.fresh("half-frame");
                sensors.add(sensor);
                try (Session session = Link.open(sensor)) {
                    byte[] frame = Frames.batch(session.batch(Event.random(1, 10_000)));
                    session.send(Arrays.copyOf(frame, 5_000));
                    if (i % 2 == 0) {
                        session.client().reset();
                    }
                }
            }
            // The same sensors are served at once, from the start.
            for (Sensor sensor : sensors.subList(0, 5)) {
                assertThat(Link.raw().telemetryOf(sensor)).isEmpty();
                try (Session session = Link.open(sensor, sensor.start(1, 0, 1, 0))) {
                    session.append(Event.of(1)).expectWatermark(1);
                }
            }
            for (Sensor sensor : sensors.subList(5, sensors.size())) {
                assertThat(Link.raw().telemetryOf(sensor)).isEmpty();
            }
            control.assertServed();
        }
    }

    @Test
    void shouldNotPileUpAnswersForAClientThatNeverReads() {
        var sensor = Sensor.fresh("deaf");
        try (ControlClient control = ControlClient.start();
                SensorClient deaf = SensorClient.connectDeaf(
                        Link.target().mtlsListener(), Link.certificates().of(sensor))) {
            new Session(sensor, deaf)
                    .send(Frames.frame(Frames.SENSOR_START, sensor.start().build()))
                    .expectAccept();
            byte[][] pings = new byte[1_000][];
            Arrays.fill(pings, Frames.ping(new byte[64]));
            byte[] chunk = Bytes.join(pings);
            var flood = CompletableFuture.supplyAsync(() -> {
                // 256 MB of questions: far more than anybody may keep answers for.
                for (int i = 0; i < 4_000; i++) {
                    try {
                        deaf.write(chunk);
                    } catch (IOException e) {
                        return "closed";
                    }
                }
                return "everything was taken";
            });
            // It stops reading, and later closes: the writer is blocked until then.
            await().atMost(Duration.ofSeconds(120)).until(flood::isDone);
            assertThat(flood.join()).isEqualTo("closed");
            control.assertServed();
        }
        try (Session again = Link.open(sensor)) {
            again.append(Event.of(1)).expectWatermark(1);
        }
    }

    @Test
    void shouldServeOthersWhileManySendAtOnce() {
        try (ControlClient control = ControlClient.start()) {
            List<Session> sessions = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                sessions.add(Link.open(Sensor.fresh("crowd")));
            }
            for (Session session : sessions) {
                for (int i = 0; i < 5; i++) {
                    session.append(Event.random(i + 1L, 60_000));
                }
            }
            for (Session session : sessions) {
                session.expectWatermark(5);
                Link.raw().assertHolds(session);
                session.close();
            }
            control.assertServed();
        }
    }
}
