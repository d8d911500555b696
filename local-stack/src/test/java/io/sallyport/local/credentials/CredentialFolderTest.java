package io.sallyport.local.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.SignedJWT;
import io.sallyport.envelope.identity.SensorKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialFolderTest {
    private static final Instant NOW = Instant.parse("2026-11-30T00:00:00Z");
    private static final SensorKey SENSOR = new SensorKey("acme", "s-1");

    @TempDir
    private Path dir;

    @Test
    void shouldKeepItsFilesFromEverybodyElse() throws Exception {
        Path folder = dir.resolve("credentials");
        Files.createDirectory(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        CredentialFolder.openOrCreate(folder, NOW);
        assertThat(rights(folder)).isEqualTo("rwx------");
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "ca.pem",
                            "ca-key.pem",
                            "gateway.pem",
                            "gateway-key.pem",
                            "token-key.json",
                            "jwks.json",
                            "publisher-key.json",
                            "publisher-jwks.json",
                            "checkpoint-key.pem",
                            "ticket-keys");
        }
        try (var files = Files.list(folder)) {
            assertThat(files.map(CredentialFolderTest::rights)).containsOnly("rw-------");
        }
    }

    @Test
    void shouldKeepWhatItMadeAtTheFirstStart() throws Exception {
        CredentialFolder.openOrCreate(dir, NOW);
        Map<String, String> before = contents();
        CredentialFolder.openOrCreate(dir, NOW.plus(Duration.ofDays(300)));
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void shouldRenewTheGatewaysCertificateBeforeItsEnd() throws Exception {
        CredentialFolder.openOrCreate(dir, NOW);
        Map<String, String> before = contents();
        Instant later = NOW.plus(Duration.ofDays(380));
        var folder = CredentialFolder.openOrCreate(dir, later);
        Map<String, String> after = contents();
        assertThat(after.get("gateway.pem")).isNotEqualTo(before.get("gateway.pem"));
        assertThat(after.get("ca.pem")).isEqualTo(before.get("ca.pem"));
        validate(folder, Pem.certificate(folder.gatewayCertificate()), later.plus(Duration.ofDays(300)));
    }

    @Test
    void shouldMakeTheRestAgainAfterAFirstStartThatWasCutShort() throws Exception {
        CredentialFolder.openOrCreate(dir, NOW);
        Files.delete(dir.resolve("ca.pem"));
        var folder = CredentialFolder.openOrCreate(dir, NOW);
        validate(folder, Pem.certificate(folder.gatewayCertificate()), NOW);
    }

    @Test
    void shouldGiveTheGatewayTheLoopbackNames() throws Exception {
        var folder = CredentialFolder.openOrCreate(dir, NOW);
        X509Certificate gateway = Pem.certificate(folder.gatewayCertificate());
        validate(folder, gateway, NOW);
        assertThat(gateway.getSubjectAlternativeNames())
                .containsExactlyInAnyOrder(
                        List.of(2, "localhost"), List.of(7, "127.0.0.1"), List.of(7, "0:0:0:0:0:0:0:1"));
        assertThat(gateway.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(gateway.getBasicConstraints()).isEqualTo(-1);
    }

    @Test
    void shouldGiveASensorExactlyOneUriName() throws Exception {
        var folder = CredentialFolder.openOrCreate(dir, NOW);
        var credential = folder.certificateFor(SENSOR, NOW, Duration.ofHours(24));
        X509Certificate certificate = credential.certificateChain().get(0);
        validate(folder, certificate, NOW.plus(Duration.ofHours(23)));
        assertThat(certificate.getSubjectAlternativeNames()).containsExactly(List.of(6, "sensor://acme/s-1"));
        assertThat(certificate.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.2");
        assertThat(certificate.getNotAfter().toInstant()).isEqualTo(NOW.plus(Duration.ofHours(24)));
    }

    @Test
    void shouldWriteACertificateThatFitsItsKey() throws Exception {
        var folder = CredentialFolder.openOrCreate(dir.resolve("credentials"), NOW);
        Path out = dir.resolve("out/s-1");
        folder.writeCertificate(SENSOR, out, NOW, Duration.ofHours(1));
        assertThat(Files.readString(out.resolve("key.pem"))).startsWith("-----BEGIN PRIVATE KEY-----");
        assertThat(rights(out.resolve("key.pem"))).isEqualTo("rw-------");
        assertThat(Files.readString(out.resolve("ca.pem"))).isEqualTo(Files.readString(folder.caCertificate()));
        var signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(Pem.privateKey(out.resolve("key.pem")));
        signature.update(new byte[] {1});
        byte[] signed = signature.sign();
        signature.initVerify(Pem.certificate(out.resolve("cert.pem")));
        signature.update(new byte[] {1});
        assertThat(signature.verify(signed)).isTrue();
    }

    @Test
    void shouldSignTokensThatThePublishedKeyVerifies() throws Exception {
        var folder = CredentialFolder.openOrCreate(dir, NOW);
        var token = SignedJWT.parse(folder.tokens().issue("acme", Optional.of("s-1"), NOW, Duration.ofHours(24)));
        assertThat(token.getHeader().getAlgorithm().getName()).isEqualTo("EdDSA");
        var keys = JWKSet.load(folder.jwks().toFile());
        var key = keys.getKeyByKeyId(token.getHeader().getKeyID()).toOctetKeyPair();
        assertThat(key.isPrivate()).isFalse();
        var verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(publicKey(key.getX().decode()));
        verifier.update(token.getSigningInput());
        assertThat(verifier.verify(token.getSignature().decode())).isTrue();
        var claims = token.getJWTClaimsSet();
        assertThat(claims.getIssuer()).isEqualTo(TokenIssuer.ISSUER);
        assertThat(claims.getAudience()).containsExactly("sallyport-sensor");
        assertThat(claims.getStringClaim("cust")).isEqualTo("acme");
        assertThat(claims.getSubject()).isEqualTo("s-1");
        assertThat(claims.getExpirationTime().toInstant()).isEqualTo(NOW.plus(Duration.ofHours(24)));
    }

    @Test
    void shouldLeaveTheSubjectOutOfAFleetToken() throws Exception {
        var folder = CredentialFolder.openOrCreate(dir, NOW);
        var token = SignedJWT.parse(folder.tokens().issue("acme", Optional.empty(), NOW, Duration.ofHours(1)));
        assertThat(token.getJWTClaimsSet().getClaims()).doesNotContainKey("sub");
    }

    @Test
    void shouldSayThatNoStackHasMadeThemYet() {
        assertThatThrownBy(() -> CredentialFolder.open(dir.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }

    private Map<String, String> contents() throws Exception {
        var contents = new TreeMap<String, String>();
        try (var files = Files.list(dir)) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file, StandardCharsets.UTF_8));
            }
        }
        return contents;
    }

    private static void validate(CredentialFolder folder, X509Certificate certificate, Instant at) throws Exception {
        var parameters = new PKIXParameters(Set.of(new TrustAnchor(folder.trustAnchor(), null)));
        parameters.setRevocationEnabled(false);
        parameters.setDate(Date.from(at));
        var path = CertificateFactory.getInstance("X.509").generateCertPath(List.of(certificate));
        CertPathValidator.getInstance("PKIX").validate(path, parameters);
    }

    private static PublicKey publicKey(byte[] x) throws Exception {
        byte[] prefix = HexFormat.of().parseHex("302a300506032b6570032100");
        byte[] encoded = new byte[prefix.length + x.length];
        System.arraycopy(prefix, 0, encoded, 0, prefix.length);
        System.arraycopy(x, 0, encoded, prefix.length, x.length);
        return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
    }

    private static String rights(Path file) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
