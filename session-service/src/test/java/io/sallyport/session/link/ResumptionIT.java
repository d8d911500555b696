package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.session.auth.TicketKeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Base64;
import java.util.Random;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tickets shorten the handshake and prove nothing by themselves. */
class ResumptionIT {
    private static final TestPki PKI = TestPki.shared();

    @TempDir
    private Path dir;

    private Path keys(int... seeds) throws IOException {
        var text = new StringBuilder();
        for (int seed : seeds) {
            byte[] key = new byte[48];
            new Random(seed).nextBytes(key);
            text.append(Base64.getEncoder().encodeToString(key)).append('\n');
        }
        Path written = Files.writeString(dir.resolve("new"), text);
        return Files.move(written, dir.resolve("tickets"), StandardCopyOption.REPLACE_EXISTING);
    }

    private static TestGateway gateway(Path keyFile, Path crl) {
        var settings = TestGateway.with();
        settings.ticketKeys = new TicketKeyFile(keyFile)::current;
        settings.crl = crl;
        return settings.start();
    }

    private static SensorStart start(String customer, String sensor) {
        return Wire.start(customer, sensor).build();
    }

    /** Returns when the TLS session was created that the connection stands on: a resumed one keeps its time. */
    private static long session(int port, SSLContext client, SensorStart start) throws IOException {
        try (SensorSocket sensor = SensorSocket.connect(port, client)) {
            sensor.start(start);
            return sensor.socket().getSession().getCreationTime();
        }
    }

    private static RejectCode refused(int port, SSLContext client, SensorStart start) throws IOException {
        try (SensorSocket sensor = SensorSocket.connect(port, client)) {
            sensor.send(FrameType.SENSOR_START, start);
            return sensor.readReject().getCode();
        }
    }

    private static int resumed(TestGateway gateway) {
        return (int) gateway.gauge("sallyport.tls.tickets.opened");
    }

    @Test
    void shouldResumeOnAnyNodeAndStillKnowTheCertificate() throws Exception {
        Path file = keys(1);
        SSLContext client = PKI.client(PKI.sensor("sensor://acme/r-1"));
        try (TestGateway first = gateway(file, null);
                TestGateway second = gateway(file, null);
                var address = new PortSwitch(first.port("mtls"))) {
            long created = session(address.port(), client, start("acme", "r-1"));
            assertThat(resumed(first)).isZero();
            assertThat(session(address.port(), client, start("acme", "r-1"))).isEqualTo(created);
            assertThat(resumed(first)).isEqualTo(1);
            address.to(second.port("mtls"));
            session(address.port(), client, start("acme", "r-1"));
            assertThat(resumed(second)).isEqualTo(1);
            // A resumed connection is still the one sensor of the certificate.
            assertThat(refused(address.port(), client, start("acme", "r-2"))).isEqualTo(RejectCode.IDENTITY_MISMATCH);
            assertThat(refused(address.port(), client, start("globex", "r-1"))).isEqualTo(RejectCode.IDENTITY_MISMATCH);
            assertThat(resumed(second)).isEqualTo(3);
        }
    }

    @Test
    void shouldStillAskForTheToken() throws Exception {
        try (TestGateway gateway = gateway(keys(1), null)) {
            SSLContext client = PKI.client(null);
            SensorStart good =
                    Wire.start("acme", "r-3").setToken(PKI.token("acme", "r-3")).build();
            session(gateway.port("token"), client, good);
            assertThat(refused(gateway.port("token"), client, start("acme", "r-3")))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(resumed(gateway)).isEqualTo(1);
            gateway.control.active.remove("acme");
            assertThat(refused(gateway.port("token"), client, good)).isEqualTo(RejectCode.UNKNOWN_CUSTOMER);
            assertThat(resumed(gateway)).isEqualTo(2);
        }
    }

    @Test
    void shouldNotTakeATicketOfTheOtherListener() throws Exception {
        try (TestGateway gateway = gateway(keys(1), null);
                var address = new PortSwitch(gateway.port("token"))) {
            SSLContext nameless = PKI.client(null);
            SensorStart good =
                    Wire.start("acme", "r-4").setToken(PKI.token("acme", "r-4")).build();
            session(address.port(), nameless, good);
            address.to(gateway.port("mtls"));
            assertThatThrownBy(() -> session(address.port(), nameless, good)).isInstanceOf(IOException.class);

            // And the other way round: a full handshake, and the token is asked for.
            SSLContext named = PKI.client(PKI.sensor("sensor://acme/r-4"));
            long created = session(address.port(), named, start("acme", "r-4"));
            address.to(gateway.port("token"));
            try (SensorSocket sensor = SensorSocket.connect(address.port(), named)) {
                sensor.send(FrameType.SENSOR_START, start("acme", "r-4"));
                assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.UNAUTHENTICATED);
                assertThat(sensor.socket().getSession().getCreationTime()).isGreaterThan(created);
            }
        }
    }

    @Test
    void shouldLookAtRevocationAgain() throws Exception {
        var certificate = PKI.sensor("sensor://acme/r-5");
        SSLContext client = PKI.client(certificate);
        Path crl = dir.resolve("crl");
        Files.write(crl, CredentialsIT.crl());
        try (TestGateway gateway = gateway(keys(1), crl)) {
            session(gateway.port("mtls"), client, start("acme", "r-5"));
            Path next = dir.resolve("crl.next");
            Files.write(next, CredentialsIT.crl(certificate.getCertificate().getSerialNumber()));
            Files.move(next, crl, StandardCopyOption.REPLACE_EXISTING);
            Awaitility.await().until(() -> {
                try (SensorSocket sensor = SensorSocket.connect(gateway.port("mtls"), client)) {
                    sensor.send(FrameType.SENSOR_START, start("acme", "r-5"));
                    return sensor.read().type() == FrameType.REJECT;
                }
            });
            assertThat(resumed(gateway)).isPositive();
            assertThat(gateway.counted("sallyport.link.rejects", "code", "UNAUTHENTICATED"))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldOpenOldTicketsUntilTheirKeyIsDropped() throws Exception {
        Path file = keys(1);
        SSLContext client = PKI.client(PKI.sensor("sensor://acme/r-6"));
        SSLContext late = PKI.client(PKI.sensor("sensor://acme/r-7"));
        try (TestGateway gateway = gateway(file, null)) {
            int port = gateway.port("mtls");
            session(port, client, start("acme", "r-6"));
            session(port, late, start("acme", "r-7"));
            keys(2, 1);
            awaitKey(gateway, 2);
            int before = resumed(gateway);
            session(port, client, start("acme", "r-6"));
            assertThat(resumed(gateway)).isEqualTo(before + 1);
            keys(2);
            awaitKeyGone(gateway);
            before = resumed(gateway);
            // Sealed with the new key at the last resumption, and with the dropped one.
            session(port, client, start("acme", "r-6"));
            assertThat(resumed(gateway)).isEqualTo(before + 1);
            session(port, late, start("acme", "r-7"));
            assertThat(resumed(gateway)).isEqualTo(before + 1);
        }
    }

    /** Another node with the new key alone resumes what this one seals. */
    private void awaitKey(TestGateway gateway, int seed) throws IOException {
        byte[] key = new byte[48];
        new Random(seed).nextBytes(key);
        Path only = Files.writeString(dir.resolve("only"), Base64.getEncoder().encodeToString(key));
        try (TestGateway other = gateway(only, null);
                var address = new PortSwitch(gateway.port("mtls"))) {
            Awaitility.await().until(() -> {
                SSLContext probe = PKI.client(PKI.sensor("sensor://acme/probe"));
                address.to(gateway.port("mtls"));
                session(address.port(), probe, start("acme", "probe"));
                address.to(other.port("mtls"));
                session(address.port(), probe, start("acme", "probe"));
                return resumed(other) > 0;
            });
        }
    }

    /** Another node that seals with the dropped key: this one opens nothing of it any more. */
    private void awaitKeyGone(TestGateway gateway) throws IOException {
        byte[] key = new byte[48];
        new Random(1).nextBytes(key);
        Path only = Files.writeString(dir.resolve("only"), Base64.getEncoder().encodeToString(key));
        try (TestGateway other = gateway(only, null);
                var address = new PortSwitch(gateway.port("mtls"))) {
            Awaitility.await().until(() -> {
                SSLContext probe = PKI.client(PKI.sensor("sensor://acme/probe"));
                address.to(other.port("mtls"));
                session(address.port(), probe, start("acme", "probe"));
                int before = resumed(gateway);
                address.to(gateway.port("mtls"));
                session(address.port(), probe, start("acme", "probe"));
                return resumed(gateway) == before;
            });
        }
    }

    @Test
    void shouldRefuseAKeyFileThatIsNoneWithoutRepeatingIt() throws IOException {
        Path file = Files.writeString(dir.resolve("bad"), "c2VjcmV0IGtleSBtYXRlcmlhbA==\n");
        assertThatThrownBy(() -> new TicketKeyFile(file))
                .hasMessageContaining("48 bytes")
                .hasMessageNotContaining("c2Vj");
        Path junk = Files.writeString(dir.resolve("junk"), "!secret!\n");
        assertThatThrownBy(() -> new TicketKeyFile(junk))
                .hasMessageContaining("not base64")
                .hasMessageNotContaining("secret");
    }
}
