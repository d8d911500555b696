package io.sallyport.local.credentials;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.sim.fleet.SensorCredential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The keys and certificates of a local stack, made on its first start and kept afterwards, in a folder that only its
 * owner reads: {@code ca.pem}, {@code ca-key.pem}, {@code gateway.pem}, {@code gateway-key.pem},
 * {@code token-key.json} and {@code jwks.json} of the sensors, {@code publisher-key.json} and {@code
 * publisher-jwks.json} of the publishers, {@code checkpoint-key.pem} of the proof, {@code ticket-keys} of TLS resumption.
 */
public final class CredentialFolder {
    /** The gateway's certificate is renewed at a start within this time of its end. */
    private static final Duration RENEW_BEFORE_END = Duration.ofDays(30);

    private static final String TICKET_KEYS = "ticket-keys";
    private static final int TICKET_KEY_BYTES = 48;

    private final Path dir;
    private final CertificateAuthority authority;
    private final TokenIssuer tokens;
    private final PublisherTokenIssuer publishers;

    private CredentialFolder(
            Path dir, CertificateAuthority authority, TokenIssuer tokens, PublisherTokenIssuer publishers) {
        this.dir = dir;
        this.authority = authority;
        this.tokens = tokens;
        this.publishers = publishers;
    }

    /** Makes what is missing; whoever calls it holds the stack's lock. */
    public static CredentialFolder openOrCreate(Path dir, Instant now) throws IOException, GeneralSecurityException {
        OwnerOnly.folder(dir);
        if (!Files.exists(dir.resolve("ca.pem")) || !Files.exists(dir.resolve("ca-key.pem"))) {
            var authority = CertificateAuthority.create(now);
            // The certificate last: without it the pair is made again, so that the two always belong together.
            OwnerOnly.write(dir.resolve("ca-key.pem"), Pem.of(authority.privateKey()));
            OwnerOnly.write(dir.resolve("ca.pem"), Pem.of(authority.certificate()));
        }
        for (String key : List.of("token-key.json", "publisher-key.json")) {
            if (!Files.exists(dir.resolve(key))) {
                OwnerOnly.write(dir.resolve(key), SigningKey.create());
            }
        }
        if (!Files.exists(dir.resolve("checkpoint-key.pem"))) {
            OwnerOnly.write(
                    dir.resolve("checkpoint-key.pem"),
                    Pem.of(KeyPairGenerator.getInstance("Ed25519")
                            .generateKeyPair()
                            .getPrivate()));
        }
        if (!Files.exists(dir.resolve(TICKET_KEYS))) {
            var key = new byte[TICKET_KEY_BYTES];
            new SecureRandom().nextBytes(key);
            OwnerOnly.write(dir.resolve(TICKET_KEYS), Base64.getEncoder().encodeToString(key) + "\n");
        }
        var folder = open(dir);
        OwnerOnly.write(folder.jwks(), folder.tokens.publicKeys());
        OwnerOnly.write(folder.publisherJwks(), folder.publishers.publicKeys());
        folder.renewGateway(now);
        return folder;
    }

    /** @throws java.nio.file.NoSuchFileException where no stack has made the credentials yet */
    public static CredentialFolder open(Path dir) throws IOException, GeneralSecurityException {
        var authority = new CertificateAuthority(
                Pem.certificate(dir.resolve("ca.pem")), Pem.privateKey(dir.resolve("ca-key.pem")));
        return new CredentialFolder(
                dir,
                authority,
                new TokenIssuer(Files.readString(dir.resolve("token-key.json"))),
                new PublisherTokenIssuer(Files.readString(dir.resolve("publisher-key.json"))));
    }

    private void renewGateway(Instant now) throws IOException, GeneralSecurityException {
        if (Files.exists(gatewayCertificate()) && Files.exists(gatewayKey())) {
            X509Certificate current = Pem.certificate(gatewayCertificate());
            if (authority.issued(current) && current.getNotAfter().toInstant().isAfter(now.plus(RENEW_BEFORE_END))) {
                return;
            }
        }
        Files.deleteIfExists(gatewayCertificate());
        var issued = authority.gateway(now);
        OwnerOnly.write(gatewayKey(), Pem.of(issued.privateKey()));
        OwnerOnly.write(gatewayCertificate(), Pem.of(issued.certificate()));
    }

    /** What sensors trust, and what the gateway checks client certificates against. */
    public Path caCertificate() {
        return dir.resolve("ca.pem");
    }

    public Path gatewayCertificate() {
        return dir.resolve("gateway.pem");
    }

    public Path gatewayKey() {
        return dir.resolve("gateway-key.pem");
    }

    /** Public keys of the sensors' tokens, as a JWK set. */
    public Path jwks() {
        return dir.resolve("jwks.json");
    }

    /** What signs the checkpoints. */
    public Path checkpointKey() {
        return dir.resolve("checkpoint-key.pem");
    }

    /** There where the signer alone has the private part, as in a stack of containers. */
    public Optional<PublicKey> checkpointPublicKey() throws IOException {
        Path file = dir.resolve("checkpoint-key.pub");
        return Files.exists(file) ? Optional.of(Pem.publicKey(file)) : Optional.empty();
    }

    /** What seals TLS session tickets: a sensor resumes its TLS session after a restart of the gateway, and at another one. */
    public Path ticketKeys() {
        return dir.resolve(TICKET_KEYS);
    }

    /** Public keys of the publishers' tokens, as a JWK set. */
    public Path publisherJwks() {
        return dir.resolve("publisher-jwks.json");
    }

    public TokenIssuer tokens() {
        return tokens;
    }

    public PublisherTokenIssuer publishers() {
        return publishers;
    }

    public X509Certificate trustAnchor() {
        return authority.certificate();
    }

    /** A new client certificate for a sensor, with a key of its own. */
    public SensorCredential certificateFor(SensorKey sensor, Instant now, Duration life)
            throws GeneralSecurityException {
        var issued = authority.sensor(sensor, now, life);
        return new SensorCredential(trustAnchor(), issued.privateKey(), List.of(issued.certificate()), "");
    }

    /** Writes {@code cert.pem}, {@code key.pem} and {@code ca.pem} of a sensor into a folder. */
    public void writeCertificate(SensorKey sensor, Path out, Instant now, Duration life)
            throws IOException, GeneralSecurityException {
        var issued = authority.sensor(sensor, now, life);
        if (!Files.isDirectory(out)) {
            OwnerOnly.folder(out);
        }
        OwnerOnly.write(out.resolve("key.pem"), Pem.of(issued.privateKey()));
        OwnerOnly.write(out.resolve("cert.pem"), Pem.of(issued.certificate()));
        OwnerOnly.write(out.resolve("ca.pem"), Pem.of(trustAnchor()));
    }
}
