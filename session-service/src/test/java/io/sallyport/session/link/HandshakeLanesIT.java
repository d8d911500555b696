package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.session.netty.AdmissionLimits;
import io.sallyport.session.netty.NodeClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Connections on their way to a session are bounded by what their ClientHello says, before TLS is set up for them. */
class HandshakeLanesIT {
    private static final TestPki PKI = TestPki.shared();

    private static final AdmissionLimits.Silent SILENT = new AdmissionLimits.Silent(100, 100);

    private static AdmissionLimits limits(AdmissionLimits.Handshakes handshakes) {
        return new AdmissionLimits(
                100_000, 100, handshakes, 10_000, new AdmissionLimits.Customer(100_000, 10_000), 30_000);
    }

    /** TLS stands and no SENSOR_START follows: a connection that counts until it is closed. */
    private static SSLSocket knock(TestGateway gateway, String serverName) throws IOException {
        // A context of its own: the JDK repeats the server name that it sent to the same address before.
        var socket = (SSLSocket) PKI.client(null)
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), gateway.port("token"));
        var parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(serverName)));
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    @Test
    void shouldBoundThoseOfOneServerNameAndSpareTheOthers() throws Exception {
        var settings = TestGateway.with();
        settings.admission = limits(new AdmissionLimits.Handshakes(100, 100, 1, 100, SILENT));
        try (TestGateway gateway = settings.start();
                SSLSocket first = knock(gateway, "one.example")) {
            assertThatThrownBy(() -> knock(gateway, "ONE.example")).isInstanceOf(IOException.class);
            knock(gateway, "two.example").close();
            assertThat(gateway.counted("sallyport.link.notes", "kind", "handshake_limit"))
                    .isEqualTo(1);
            first.close();
            Awaitility.await().until(() -> gateway.gauge("sallyport.handshakes") == 0);
            knock(gateway, "one.example").close();
        }
    }

    @Test
    void shouldLeaveRoomForThoseWithATicket() throws Exception {
        var settings = TestGateway.with();
        settings.admission = limits(new AdmissionLimits.Handshakes(100, 100, 100, 1, SILENT));
        byte[] key = new byte[48];
        new Random(1).nextBytes(key);
        settings.ticketKeys = nowMs -> List.of(key);
        SSLContext known = PKI.client(null);
        try (TestGateway gateway = settings.start()) {
            session(gateway, known);
            Awaitility.await().until(() -> gateway.gauge("sallyport.handshakes") == 0);
            try (SSLSocket first = knock(gateway, "one.example")) {
                assertThatThrownBy(() -> knock(gateway, "one.example")).isInstanceOf(IOException.class);
                session(gateway, known);
                assertThat(gateway.gauge("sallyport.tls.tickets.opened")).isEqualTo(1);
                assertThat(first.isConnected()).isTrue();
            }
        }
    }

    @Test
    void shouldNotCountThoseThatSayNothingAmongHandshakes() throws Exception {
        var settings = TestGateway.with();
        settings.admission = limits(new AdmissionLimits.Handshakes(2, 2, 2, 2, new AdmissionLimits.Silent(100, 100)));
        try (TestGateway gateway = settings.start()) {
            List<Socket> silent = silent(gateway, 20);
            Awaitility.await().until(() -> gateway.gauge("sallyport.connections.silent") == 20);
            session(gateway, PKI.client(null));
            assertThat(gateway.gauge("sallyport.connections.silent")).isEqualTo(20);
            closeAll(silent);
            Awaitility.await().until(() -> gateway.gauge("sallyport.connections.silent") == 0);
        }
    }

    @Test
    void shouldCloseTheOldestOfThoseThatSayNothingWhereTheyAreTooMany() throws Exception {
        var settings = TestGateway.with();
        settings.admission = limits(new AdmissionLimits.Handshakes(9, 9, 9, 9, new AdmissionLimits.Silent(3, 3)));
        try (TestGateway gateway = settings.start()) {
            var silent = new ArrayList<Socket>();
            for (int i = 1; i <= 3; i++) {
                silent.addAll(silent(gateway, 1));
                int so = i;
                // One after the other: several loops take connections in.
                Awaitility.await().until(() -> gateway.gauge("sallyport.connections.silent") == so);
            }
            session(gateway, PKI.client(null));
            silent.get(0).setSoTimeout(8_000);
            assertThat(silent.get(0).getInputStream().read()).isEqualTo(-1);
            assertThat(gateway.counted("sallyport.link.notes", "kind", "silent_too_long"))
                    .isEqualTo(1);
            silent.get(1).setSoTimeout(1);
            assertThatThrownBy(() -> silent.get(1).getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            closeAll(silent);
        }
    }

    @Test
    void shouldForgetAConnectionWhosePipelineCannotBeMade() throws Exception {
        var settings = TestGateway.with();
        var failing = new AtomicBoolean();
        settings.clock = () -> {
            // Only where connections are served: the node's own timers go on.
            if (failing.get() && !Thread.currentThread().getName().startsWith("link-accept")) {
                throw new IllegalStateException("no clock");
            }
            return NodeClock.SYSTEM.now();
        };
        try (TestGateway gateway = settings.start()) {
            failing.set(true);
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port("token"))) {
                socket.setSoTimeout(60_000);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            failing.set(false);
            Awaitility.await().until(() -> gateway.gauge("sallyport.connections.silent") == 0);
            session(gateway, PKI.client(null));
        }
    }

    private static List<Socket> silent(TestGateway gateway, int count) throws IOException {
        var sockets = new ArrayList<Socket>();
        for (int i = 0; i < count; i++) {
            sockets.add(new Socket(InetAddress.getLoopbackAddress(), gateway.port("token")));
        }
        return sockets;
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static void session(TestGateway gateway, SSLContext client) throws IOException {
        try (SensorSocket sensor = SensorSocket.connect(gateway.port("token"), client)) {
            sensor.start(Wire.start("acme", "lane")
                    .setToken(PKI.token("acme", "lane"))
                    .build());
        }
    }
}
