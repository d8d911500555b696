package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.netty.pkitesting.X509Bundle;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.session.netty.AdmissionLimits;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both ways to prove an identity, and every way to fail. */
class CredentialsIT {
    private static final TestPki PKI = TestPki.shared();

    @TempDir
    private Path dir;

    private static AdmissionLimits quickRecheck() {
        return TestGateway.admission(100_000, 10_000, 10_000, 200);
    }

    private static RejectCode refused(SensorSocket sensor, SensorStart.Builder start) throws IOException {
        try (sensor) {
            sensor.send(FrameType.SENSOR_START, start.build());
            RejectCode code = sensor.readReject().getCode();
            assertThat(sensor.isClosedByPeer()).isTrue();
            return code;
        }
    }

    private static RejectCode refusedToken(TestGateway gateway, String token) throws IOException {
        return refused(gateway.connect(), Wire.start("acme", "t-1").setToken(token));
    }

    private static SensorSocket mtls(TestGateway gateway, X509Bundle certificate) throws IOException {
        return SensorSocket.connect(gateway.port("mtls"), PKI.client(certificate));
    }

    private static Date in(long seconds) {
        return Date.from(Instant.now().plusSeconds(seconds));
    }

    @Test
    void shouldRefuseEveryTokenThatDoesNotHold() throws Exception {
        try (TestGateway gateway = TestGateway.start()) {
            assertThat(refusedToken(gateway, "")).isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(refusedToken(gateway, "x.y.z")).isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(refusedToken(gateway, PKI.token("acme", "t-1") + " ")).isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(refusedToken(gateway, PKI.token("acme", "t-1", c -> c.expirationTime(in(-1)))))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(refusedToken(gateway, PKI.token("acme", "t-1", c -> c.expirationTime(null))))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(refusedToken(gateway, PKI.token("acme", "t-1", c -> c.notBeforeTime(in(60)))))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(refusedToken(gateway, PKI.token("acme", "t-1", c -> c.issuer("someone"))))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(refusedToken(gateway, PKI.token("acme", "t-1", c -> c.audience("another"))))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(refusedToken(gateway, PKI.token("acme", "t-1", c -> c.claim("cust", null))))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(refusedToken(gateway, PKI.token("acme", "t-1", c -> c.claim("cust", 7))))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            // Signed by a key of the same name, by an unknown key, not at all, and with what is public.
            RSAKey impostor = new RSAKeyGenerator(2048).keyID("k1").generate();
            assertThat(refusedToken(gateway, TestPki.token(impostor, "acme", "t-1", c -> c)))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            RSAKey unknown = new RSAKeyGenerator(2048).keyID("k2").generate();
            assertThat(refusedToken(gateway, TestPki.token(unknown, "acme", "t-1", c -> c)))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            JWTClaimsSet claims = SignedJWT.parse(PKI.token("acme", "t-1")).getJWTClaimsSet();
            assertThat(refusedToken(gateway, new PlainJWT(claims).serialize())).isEqualTo(RejectCode.UNAUTHENTICATED);
            var confused = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("k1").build(), claims);
            confused.sign(new MACSigner(PKI.tokenKey().toRSAPublicKey().getEncoded()));
            assertThat(refusedToken(gateway, confused.serialize())).isEqualTo(RejectCode.UNAUTHENTICATED);
            var otherAlgorithm = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.RS512).keyID("k1").build(), claims);
            otherAlgorithm.sign(new RSASSASigner(PKI.tokenKey()));
            assertThat(refusedToken(gateway, otherAlgorithm.serialize())).isEqualTo(RejectCode.UNAUTHENTICATED);
            var anonymous = new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).build(), claims);
            anonymous.sign(new RSASSASigner(PKI.tokenKey()));
            assertThat(refusedToken(gateway, anonymous.serialize())).isEqualTo(RejectCode.UNAUTHENTICATED);

            assertThat(gateway.authority.claims).isEmpty();
            assertThat(gateway.counted("sallyport.link.rejects", "code", "UNAUTHENTICATED"))
                    .isEqualTo(16);
        }
    }

    @Test
    void shouldRefuseATokenOfAnotherSensor() throws IOException {
        try (TestGateway gateway = TestGateway.start()) {
            assertThat(refusedToken(gateway, PKI.token("acme", "t-2"))).isEqualTo(RejectCode.IDENTITY_MISMATCH);
            assertThat(refusedToken(gateway, PKI.token("globex", "t-1"))).isEqualTo(RejectCode.IDENTITY_MISMATCH);
        }
    }

    @Test
    void shouldTakeAFleetTokenOnlyWhereAllowed() throws IOException {
        String fleet = PKI.token("acme", null, c -> c);
        try (TestGateway gateway = TestGateway.start()) {
            assertThat(refusedToken(gateway, fleet)).isEqualTo(RejectCode.UNAUTHENTICATED);
        }
        var settings = TestGateway.with();
        settings.allowFleetTokens = true;
        try (TestGateway gateway = settings.start();
                SensorSocket sensor = gateway.connect()) {
            sensor.start(Wire.start("acme", "any").setToken(fleet).build());
            assertThat(refused(gateway.connect(), Wire.start("globex", "any").setToken(fleet)))
                    .isEqualTo(RejectCode.IDENTITY_MISMATCH);
        }
    }

    @Test
    void shouldTakeAnEdDsaToken() throws Exception {
        var keys = java.security.KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        byte[] spki = keys.getPublic().getEncoded();
        var base64 = Base64.getUrlEncoder().withoutPadding();
        String x = base64.encodeToString(java.util.Arrays.copyOfRange(spki, spki.length - 32, spki.length));
        Path jwks = dir.resolve("jwks.json");
        TestPki.write(jwks, "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"ed\",\"x\":\"" + x + "\"}]}");
        String header = base64.encodeToString("{\"alg\":\"EdDSA\",\"kid\":\"ed\"}".getBytes());
        String claims = base64.encodeToString(("{\"iss\":\"" + TestPki.ISSUER
                        + "\",\"aud\":[\"other\",\"sallyport-sensor\"],\"cust\":\"acme\",\"sub\":\"e-1\",\"exp\":"
                        + Instant.now().plusSeconds(60).getEpochSecond() + "}")
                .getBytes());
        var signature = java.security.Signature.getInstance("Ed25519");
        signature.initSign(keys.getPrivate());
        signature.update((header + "." + claims).getBytes());
        byte[] signed = signature.sign();
        var settings = TestGateway.with();
        settings.jwks = jwks;
        try (TestGateway gateway = settings.start();
                SensorSocket sensor = gateway.connect()) {
            sensor.start(Wire.start("acme", "e-1")
                    .setToken(header + "." + claims + "." + base64.encodeToString(signed))
                    .build());
            signed[5] ^= 1;
            assertThat(refused(
                            gateway.connect(),
                            Wire.start("acme", "e-1")
                                    .setToken(header + "." + claims + "." + base64.encodeToString(signed))))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
        }
    }

    @Test
    void shouldEndASessionWhoseTokenExpiresOrWhoseKeyIsWithdrawn() throws Exception {
        Path jwks = dir.resolve("jwks.json");
        Files.copy(PKI.jwksFile(), jwks);
        var settings = TestGateway.with();
        settings.jwks = jwks;
        settings.admission = quickRecheck();
        try (TestGateway gateway = settings.start();
                SensorSocket sensor = gateway.connect();
                SensorSocket other = gateway.session("t-9")) {
            sensor.start(Wire.start("acme", "t-8")
                    .setToken(PKI.token("acme", "t-8", c -> c.expirationTime(in(2))))
                    .build());
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.UNAUTHENTICATED);
            assertThat(sensor.isClosedByPeer()).isTrue();
            // Half-written: the keys before stay.
            TestPki.write(jwks, "{\"keys\":[");
            other.send(FrameType.PING, new byte[0]);
            other.read(FrameType.PONG);
            Path next = dir.resolve("next.json");
            TestPki.write(
                    next, TestPki.jwks(new RSAKeyGenerator(2048).keyID("k1").generate()));
            Files.move(next, jwks, StandardCopyOption.ATOMIC_MOVE);
            assertThat(other.readReject().getCode()).isEqualTo(RejectCode.UNAUTHENTICATED);
        }
    }

    @Test
    void shouldBindACertificateToExactlyOneSensor() throws IOException {
        try (TestGateway gateway = TestGateway.start()) {
            try (SensorSocket sensor = mtls(gateway, PKI.sensor("sensor://acme/c-1"))) {
                Accept accept = sensor.start(Wire.start("acme", "c-1").build());
                assertThat(accept.getEpoch()).isEqualTo(1);
            }
            X509Bundle one = PKI.sensor("sensor://acme/c-1");
            assertThat(refused(mtls(gateway, one), Wire.start("acme", "c-2"))).isEqualTo(RejectCode.IDENTITY_MISMATCH);
            assertThat(refused(mtls(gateway, one), Wire.start("globex", "c-1")))
                    .isEqualTo(RejectCode.IDENTITY_MISMATCH);
            assertThat(refused(mtls(gateway, one), Wire.start("Acme", "c-1"))).isEqualTo(RejectCode.IDENTITY_MISMATCH);
            assertThat(refused(mtls(gateway, one), Wire.start("acme", "c-1 "))).isEqualTo(RejectCode.BAD_IDENTITY);
            for (String[] sans : new String[][] {
                {},
                {"sensor://acme/c-1", "sensor://acme/c-2"},
                {"sensor://acme/c-1", "https://example.com/"},
                {"https://acme/c-1"},
                {"sensor://acme/c-1/more"},
                {"sensor://acme"},
                {"sensor://acme/..."}
            }) {
                assertThat(refused(mtls(gateway, PKI.sensor(sans)), Wire.start("acme", "c-1")))
                        .as(String.join(" ", sans))
                        .isEqualTo(RejectCode.UNAUTHENTICATED);
            }
        }
    }

    @Test
    void shouldNotLetACertificateInThatDoesNotChain() throws Exception {
        try (TestGateway gateway = TestGateway.start()) {
            X509Bundle otherCa = TestPki.builder("CN=test-ca")
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
            X509Bundle stranger = TestPki.builder("CN=stranger")
                    .addSanUriName("sensor://acme/c-1")
                    .buildIssuedBy(otherCa);
            X509Bundle expired = TestPki.builder("CN=old")
                    .notBefore(Instant.now().minusSeconds(7_200))
                    .notAfter(Instant.now().minusSeconds(3_600))
                    .addSanUriName("sensor://acme/c-1")
                    .buildIssuedBy(PKI.ca());
            for (X509Bundle client : new X509Bundle[] {null, stranger, expired}) {
                // TLS 1.3: the client may believe that it is in, until it reads.
                assertThatThrownBy(() -> {
                            try (SensorSocket sensor = mtls(gateway, client)) {
                                sensor.start(Wire.start("acme", "c-1").build());
                            }
                        })
                        .isInstanceOf(IOException.class);
            }
            assertThat(gateway.authority.claims).isEmpty();
        }
    }

    @Test
    void shouldEndASessionWhoseCertificateExpires() throws Exception {
        var settings = TestGateway.with();
        settings.admission = quickRecheck();
        try (TestGateway gateway = settings.start()) {
            X509Bundle brief = TestPki.builder("CN=brief")
                    .notAfter(Instant.now().plusSeconds(3))
                    .addSanUriName("sensor://acme/c-5")
                    .buildIssuedBy(PKI.ca());
            try (SensorSocket sensor = mtls(gateway, brief)) {
                sensor.start(Wire.start("acme", "c-5").build());
                assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.UNAUTHENTICATED);
            }
        }
    }

    @Test
    void shouldRefuseAndEndWhatIsRevoked() throws Exception {
        Path crl = dir.resolve("crl.der");
        Files.write(crl, crl());
        var settings = TestGateway.with();
        settings.admission = quickRecheck();
        settings.crl = crl;
        X509Bundle revoked = TestPki.builder("CN=r")
                .serial(BigInteger.valueOf(4711))
                .addSanUriName("sensor://acme/c-6")
                .buildIssuedBy(PKI.ca());
        try (TestGateway gateway = settings.start();
                SensorSocket other = mtls(gateway, PKI.sensor("sensor://acme/c-7"))) {
            other.start(Wire.start("acme", "c-7").build());
            try (SensorSocket sensor = mtls(gateway, revoked)) {
                sensor.start(Wire.start("acme", "c-6").build());
                Files.write(crl, crl(BigInteger.valueOf(4711)));
                assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.UNAUTHENTICATED);
            }
            assertThat(refused(mtls(gateway, revoked), Wire.start("acme", "c-6")))
                    .isEqualTo(RejectCode.UNAUTHENTICATED);
            other.send(FrameType.PING, new byte[0]);
            other.read(FrameType.PONG);
        }
    }

    static byte[] crl(BigInteger... serials) throws Exception {
        var builder = new X509v2CRLBuilder(
                X500Name.getInstance(
                        PKI.ca().getCertificate().getSubjectX500Principal().getEncoded()),
                new Date());
        builder.setNextUpdate(in(3_600));
        for (BigInteger serial : serials) {
            builder.addCRLEntry(serial, new Date(), 0);
        }
        return builder.build(new JcaContentSignerBuilder("SHA256withECDSA")
                        .build(PKI.ca().getKeyPair().getPrivate()))
                .getEncoded();
    }
}
