package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.session.netty.AdmissionLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Connections on their way to a session are bounded by what their ClientHello says, before TLS is set up for them. */
class HandshakeLanesIT {
    private static final TestPki PKI = TestPki.shared();

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
        settings.admission = limits(new AdmissionLimits.Handshakes(100, 100, 1, 100));
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
        settings.admission = limits(new AdmissionLimits.Handshakes(100, 100, 100, 1));
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

    private static void session(TestGateway gateway, SSLContext client) throws IOException {
        try (SensorSocket sensor = SensorSocket.connect(gateway.port("token"), client)) {
            sensor.start(Wire.start("acme", "lane")
                    .setToken(PKI.token("acme", "lane"))
                    .build());
        }
    }
}
