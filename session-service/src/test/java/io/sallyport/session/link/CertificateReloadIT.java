package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.X509Bundle;
import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.session.core.AlertKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway's certificate is renewed without a restart, in the way Kubernetes changes a mounted Secret. */
class CertificateReloadIT {
    private static final TestPki PKI = TestPki.shared();
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path mount;

    private int versions;

    @Test
    void shouldServeARenewedCertificateAndKeepItsConnections() throws Exception {
        X509Bundle first = certificate(86_400);
        X509Bundle second = certificate(2 * 86_400);
        mount(first.getCertificatePathPEM(), first.getPrivateKeyPEM());
        Files.createSymbolicLink(mount.resolve("tls.crt"), Path.of("..data/tls.crt"));
        Files.createSymbolicLink(mount.resolve("tls.key"), Path.of("..data/tls.key"));
        var settings = TestGateway.with();
        settings.certificate = mount.resolve("tls.crt");
        settings.privateKey = mount.resolve("tls.key");
        try (TestGateway gateway = settings.start();
                SensorSocket before = gateway.session("s-1")) {
            assertThat(presented(gateway)).isEqualTo(first.getCertificate());
            assertThat(daysLeft(gateway)).isZero();

            mount(second.getCertificatePathPEM(), second.getPrivateKeyPEM());
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(presented(gateway)).isEqualTo(second.getCertificate()));
            assertThat(daysLeft(gateway)).isEqualTo(1);

            // A key that is not the certificate's, and what is no certificate: the good one stays.
            mount(first.getCertificatePathPEM(), second.getPrivateKeyPEM());
            await().atMost(SOON).until(() -> refused(gateway) == 1);
            assertThat(presented(gateway)).isEqualTo(second.getCertificate());
            mount("nothing", "nothing");
            await().atMost(SOON).until(() -> refused(gateway) == 2);
            assertThat(presented(gateway)).isEqualTo(second.getCertificate());

            mount(first.getCertificatePathPEM(), first.getPrivateKeyPEM());
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(presented(gateway)).isEqualTo(first.getCertificate()));
            before.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 1));
            assertThat(before.readAck()).isEqualTo(new Ack(1, 5, 0));
        }
    }

    private static double refused(TestGateway gateway) {
        // Two listeners share the files; each says it once.
        return gateway.counted("sallyport.alerts", "kind", AlertKind.CERTIFICATE_NOT_LOADED.name()) / 2;
    }

    private static long daysLeft(TestGateway gateway) {
        return Duration.ofSeconds((long) gateway.gauge("sallyport.gateway.certificate.expires.seconds"))
                .toDays();
    }

    private static X509Certificate presented(TestGateway gateway) throws IOException {
        try (SensorSocket socket = gateway.connect()) {
            return (X509Certificate) socket.socket().getSession().getPeerCertificates()[0];
        }
    }

    private static X509Bundle certificate(long seconds) throws Exception {
        return TestPki.builder("CN=localhost")
                .notAfter(Instant.now().plusSeconds(seconds))
                .addSanDnsName("localhost")
                .addSanIpAddress("127.0.0.1")
                .buildIssuedBy(PKI.ca());
    }

    /** A new folder, and then the link to it replaced in one step. */
    private void mount(String certificate, String key) throws IOException {
        Path version = Files.createDirectory(mount.resolve("..version-" + ++versions));
        TestPki.write(version.resolve("tls.crt"), certificate);
        TestPki.write(version.resolve("tls.key"), key);
        Path next = Files.createSymbolicLink(mount.resolve("..data_tmp"), version.getFileName());
        Files.move(next, mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
