package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetector;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** H04, scaled down tenfold: clients that stop in the handshake or in the middle of a frame. */
class H04HalfMadeConnectionsIT {
    private ResourceLeakDetector.Level before;

    @BeforeEach
    void watchBuffers() {
        before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    }

    @AfterEach
    void restore() {
        ResourceLeakDetector.setLevel(before);
    }

    @Test
    void shouldEndThemAllAndServeTheGoodOnesMeanwhile() throws Exception {
        var settings = TestGateway.with();
        settings.handshakeTimeoutMs = 3_000;
        try (TestGateway gateway = settings.start()) {
            var silent = new ArrayList<Socket>();
            for (int i = 0; i < 30; i++) {
                var socket = new Socket("127.0.0.1", gateway.port("mtls"));
                if (i >= 20) {
                    // The beginning of a ClientHello: a record header that announces more than comes.
                    byte[] hello = new byte[50];
                    System.arraycopy(new byte[] {22, 3, 1, 1, 0, 1}, 0, hello, 0, 6);
                    socket.getOutputStream().write(hello);
                }
                silent.add(socket);
            }
            List<SensorSocket> startless = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                startless.add(gateway.connect());
            }
            byte[] frame = Wire.frame(FrameType.BATCH, Wire.batch(1, 1, 1, 10, 1_000));
            for (int i = 0; i < 10; i++) {
                SensorSocket torn = gateway.session("h04-" + i);
                torn.raw(Arrays.copyOf(frame, 5_000));
                if (i % 2 == 0) {
                    torn.socket().setSoLinger(true, 0);
                }
                torn.close();
            }
            try (SensorSocket good = gateway.session("h04-good")) {
                good.send(FrameType.BATCH, Wire.batch(1, 1, 1, 3, 1));
                good.readAckUpTo(3);
            }
            for (SensorSocket socket : startless) {
                assertThat(socket.readReject().getCode().name()).isEqualTo("HANDSHAKE_TIMEOUT");
                socket.close();
            }
            for (Socket socket : silent) {
                socket.setSoTimeout(60_000);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
                socket.close();
            }
            assertThat(gateway.counted("sallyport.link.notes", "kind", "handshake_timeout_in_tls"))
                    .isEqualTo(30);
            assertThat(gateway.counted("sallyport.link.rejects", "code", "HANDSHAKE_TIMEOUT"))
                    .isEqualTo(10);
            Awaitility.await().until(() -> gateway.sessions() == 0 && gateway.gauge("sallyport.handshakes") == 0);
            assertThat(gateway.gauge("sallyport.memory.unfinished")).isZero();
            assertThat(gateway.gauge("sallyport.memory.inflight")).isZero();
            assertThat(gateway.log.records(RawKind.BATCH)).hasSize(1);
        }
    }
}
