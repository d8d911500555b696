package io.sallyport.session.link;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Date;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** Keys and certificates of one test JVM: a CA, a gateway's certificate, sensors' certificates, and a token key. */
public final class TestPki {
    public static final String ISSUER = "test-issuer";
    private static final TestPki SHARED = create();

    private final X509Bundle ca;
    private final Path dir;
    private final RSAKey tokenKey;

    private TestPki(X509Bundle ca, Path dir, RSAKey tokenKey) {
        this.ca = ca;
        this.dir = dir;
        this.tokenKey = tokenKey;
    }

    public static TestPki shared() {
        return SHARED;
    }

    private static TestPki create() {
        try {
            X509Bundle ca = builder("CN=test-ca")
                    .setIsCertificateAuthority(true)
                    .setKeyUsage(true, CertificateBuilder.KeyUsage.keyCertSign, CertificateBuilder.KeyUsage.cRLSign)
                    .buildSelfSigned();
            X509Bundle server = builder("CN=localhost")
                    .addSanDnsName("localhost")
                    .addSanIpAddress("127.0.0.1")
                    .buildIssuedBy(ca);
            Path dir = Files.createTempDirectory("sallyport-pki");
            Files.writeString(dir.resolve("ca.pem"), ca.getCertificatePEM());
            Files.writeString(dir.resolve("server.pem"), server.getCertificatePathPEM());
            Files.writeString(dir.resolve("server.key"), server.getPrivateKeyPEM());
            RSAKey key = new RSAKeyGenerator(2048).keyID("k1").generate();
            Files.writeString(dir.resolve("jwks.json"), jwks(key));
            return new TestPki(ca, dir, key);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static CertificateBuilder builder(String subject) {
        return new CertificateBuilder()
                .ecp256()
                .subject(subject)
                .notBefore(Instant.now().minusSeconds(3_600))
                .notAfter(Instant.now().plusSeconds(86_400));
    }

    static String jwks(RSAKey... keys) {
        var text = new StringBuilder("{\"keys\":[");
        for (int i = 0; i < keys.length; i++) {
            text.append(i == 0 ? "" : ",").append(keys[i].toPublicJWK().toJSONString());
        }
        return text.append("]}").toString();
    }

    public Path caFile() {
        return dir.resolve("ca.pem");
    }

    public Path serverCertificate() {
        return dir.resolve("server.pem");
    }

    public Path serverKey() {
        return dir.resolve("server.key");
    }

    public Path jwksFile() {
        return dir.resolve("jwks.json");
    }

    RSAKey tokenKey() {
        return tokenKey;
    }

    X509Bundle ca() {
        return ca;
    }

    X509Bundle sensor(String... uriSans) {
        try {
            CertificateBuilder certificate = builder("CN=sensor").addExtendedKeyUsageClientAuth();
            for (String san : uriSans) {
                certificate.addSanUriName(san);
            }
            return certificate.buildIssuedBy(ca);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A TLS client that trusts the CA and presents {@code client}, if any. */
    public SSLContext client(@Nullable X509Bundle client) {
        try {
            KeyManagerFactory keys = null;
            if (client != null) {
                KeyStore store = client.toKeyStore("x".toCharArray());
                keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                keys.init(store, "x".toCharArray());
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    keys == null ? null : keys.getKeyManagers(),
                    new TrustManager[] {ca.toTrustManager()},
                    new SecureRandom());
            return context;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A token that the shared key set accepts, changed by {@code change}. */
    public String token(String customer, @Nullable String sensor, UnaryOperator<JWTClaimsSet.Builder> change) {
        return token(tokenKey, customer, sensor, change);
    }

    static String token(
            RSAKey key, String customer, @Nullable String sensor, UnaryOperator<JWTClaimsSet.Builder> change) {
        var claims = new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .audience("sallyport-sensor")
                .expirationTime(Date.from(Instant.now().plusSeconds(3_600)))
                .claim("cust", customer);
        if (sensor != null) {
            claims.subject(sensor);
        }
        var jwt = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(),
                change.apply(claims).build());
        try {
            jwt.sign(new RSASSASigner(key));
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
        return jwt.serialize();
    }

    public String token(String customer, String sensor) {
        return token(customer, sensor, claims -> claims);
    }

    static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
