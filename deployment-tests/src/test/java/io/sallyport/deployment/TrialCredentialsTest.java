package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonParser;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.SignedJWT;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.export.checkpoint.SigningKey;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.session.auth.TicketKeyFile;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.profiles.ProfileFile;

/** The one-shot job of the compose file: what it makes is what the gateways and the command line read. */
class TrialCredentialsTest {
    @TempDir
    private Path folder;

    private void make(String... names) {
        assumeTrue(Manifests.Tool.isInstalled("openssl"), "openssl is not installed: the job is not tried");
        var command = new java.util.ArrayList<>(
                List.of(Repository.path("docker/make-credentials").toString(), folder.toString()));
        command.addAll(List.of(names));
        Manifests.Tool.Result result = Manifests.Tool.run(command);
        assertThat(result.exit()).as(result.output()).isZero();
    }

    @Test
    void shouldMakeACertificateForEveryNameOfTheGateways() throws Exception {
        make("gateway-0", "gateway-1", "127.0.0.1");

        X509Certificate authority = certificate("sensors/ca.crt");
        X509Certificate gateway = certificate("gateway/tls.crt");
        gateway.verify(authority.getPublicKey());
        gateway.checkValidity();
        assertThat(authority.getBasicConstraints()).isZero();
        assertThat(gateway.getBasicConstraints()).isEqualTo(-1);
        assertThat(gateway.getSubjectAlternativeNames().stream().<Object>map(name -> name.get(1)))
                .containsExactlyInAnyOrder("gateway-0", "gateway-1", "127.0.0.1");
        assertThat(folder.resolve("gateway/tls.key")).content().startsWith("-----BEGIN PRIVATE KEY-----");
    }

    @Test
    void shouldPutANewTicketKeyOnTopOfTheOthersOnceADay() throws Exception {
        Path file = folder.resolve("gateway/ticket-keys");
        make("localhost");
        List<String> first = Files.readAllLines(file);
        make("localhost");
        assertThat(Files.readAllLines(file)).isEqualTo(first).hasSize(1);

        for (int day = 1; day <= 3; day++) {
            Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofHours(49))));
            make("localhost");
        }

        List<String> keys = Files.readAllLines(file);
        assertThat(keys).hasSize(3).doesNotHaveDuplicates().doesNotContainAnyElementsOf(first);
        assertThat(new TicketKeyFile(file).current(0)).hasSize(3);
    }

    @Test
    void shouldMakeKeysThatTheCommandLineSignsWithAndTheServicesCheckBy() throws Exception {
        make("localhost");

        CredentialFolder credentials = CredentialFolder.open(folder.resolve("authority"));
        Instant now = Instant.now();
        String token = credentials.tokens().issue("acme", Optional.of("s1"), now, Duration.ofHours(1));
        String publisher = credentials
                .publishers()
                .issue("me", List.of("acme"), List.of("commands:read"), now, Duration.ofHours(1));

        assertSignedBy("sensors/jwks.json", token);
        assertSignedBy("publishers/jwks.json", publisher);
        assertThat(credentials
                        .certificateFor(new SensorKey("acme", "s1"), now, Duration.ofHours(1))
                        .trustAnchor())
                .isEqualTo(certificate("sensors/ca.crt"));
    }

    @Test
    void shouldMakeAKeyThatCheckpointsAreSignedWith() throws Exception {
        make("localhost");

        SigningKey key = SigningKey.read("local", folder.resolve("checkpoint/key.pem"));

        assertThat(key.note().name()).isEqualTo("local");
        assertThat(key.privateKey().getAlgorithm()).isEqualTo("EdDSA");
        CredentialFolder credentials = CredentialFolder.open(folder.resolve("authority"));
        assertThat(credentials.checkpointPublicKey()).contains(key.note().key());
    }

    /** What the store is told, and what the export shows it, as the AWS client reads it. */
    @Test
    void shouldMakeOneIdentityForTheStoreAndTheExport() throws Exception {
        make("localhost");

        var profile = ProfileFile.builder()
                .type(ProfileFile.Type.CREDENTIALS)
                .content(folder.resolve("export/credentials"))
                .build()
                .profile("default")
                .orElseThrow();
        Node identity = new Node(JsonParser.parseString(Files.readString(folder.resolve("store/s3.json"))))
                .at("identities")
                .items()
                .flatMap(found -> found.at("credentials").items())
                .findFirst()
                .orElseThrow();

        assertThat(profile.property("aws_access_key_id"))
                .contains(identity.at("accessKey").text());
        assertThat(profile.property("aws_secret_access_key"))
                .contains(identity.at("secretKey").text());
    }

    @Test
    void shouldKeepWhatIsThere() throws Exception {
        make("localhost");
        String key = Files.readString(folder.resolve("authority/token-key.json"));
        String certificate = Files.readString(folder.resolve("gateway/tls.crt"));
        String password = Files.readString(folder.resolve("dashboards/admin-password"));
        String signing = Files.readString(folder.resolve("checkpoint/key.pem"));
        String store = Files.readString(folder.resolve("export/credentials"));

        make("localhost");

        assertThat(folder.resolve("authority/token-key.json")).hasContent(key);
        assertThat(folder.resolve("gateway/tls.crt")).hasContent(certificate);
        assertThat(folder.resolve("dashboards/admin-password")).hasContent(password);
        assertThat(folder.resolve("checkpoint/key.pem")).hasContent(signing);
        assertThat(folder.resolve("export/credentials")).hasContent(store);
    }

    @Test
    void shouldKeepPrivateKeysFromOthers() throws Exception {
        make("localhost");

        for (String secret : List.of(
                "authority/ca-key.pem",
                "authority/token-key.json",
                "gateway/tls.key",
                "checkpoint/key.pem",
                "store/s3.json",
                "export/credentials")) {
            assertThat(Files.getPosixFilePermissions(folder.resolve(secret)))
                    .as(secret)
                    .noneMatch(right -> right.name().startsWith("OTHERS"));
        }
    }

    private X509Certificate certificate(String name) throws Exception {
        try (InputStream in = Files.newInputStream(folder.resolve(name))) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    /** The key of that id is in the set, and the set tells no private part. */
    private void assertSignedBy(String jwks, String token) throws Exception {
        JWKSet keys = JWKSet.parse(Files.readString(folder.resolve(jwks)));
        SignedJWT signed = SignedJWT.parse(token);
        JWK key = keys.getKeyByKeyId(signed.getHeader().getKeyID());
        assertThat(key).isNotNull();
        assertThat(keys.getKeys()).noneMatch(JWK::isPrivate);

        // The JDK's own Ed25519: the library's verifier would need another crypto library.
        byte[] raw = key.toOctetKeyPair().getX().decode();
        var encoded = new java.io.ByteArrayOutputStream();
        encoded.write(java.util.HexFormat.of().parseHex("302a300506032b6570032100"));
        encoded.write(raw);
        var verifier = java.security.Signature.getInstance("Ed25519");
        verifier.initVerify(java.security.KeyFactory.getInstance("Ed25519")
                .generatePublic(new java.security.spec.X509EncodedKeySpec(encoded.toByteArray())));
        verifier.update(signed.getSigningInput());
        assertThat(verifier.verify(signed.getSignature().decode())).isTrue();
    }
}
