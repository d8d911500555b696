package io.sallyport.e2e.link;

import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** Client certificates of one authority, and TLS contexts that present them. */
final class ClientCertificates {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final KeyPair SENSOR_KEYS = newKeys();

    private final X509Certificate trusted;
    private final X509Certificate issuer;
    private final PrivateKey issuerKey;

    /** @param trusted what the gateway's own certificate must chain to */
    private ClientCertificates(X509Certificate trusted, X509Certificate issuer, PrivateKey issuerKey) {
        this.trusted = trusted;
        this.issuer = issuer;
        this.issuerKey = issuerKey;
    }

    static ClientCertificates of(LinkTarget target) {
        return new ClientCertificates(target.ca(), target.ca(), target.caKey());
    }

    /** Of another authority with the same name, which the gateway does not know. */
    static ClientCertificates ofAStranger(LinkTarget target) {
        KeyPair keys = newKeys();
        X500Principal name = target.ca().getSubjectX500Principal();
        Instant now = Instant.now();
        var builder = new JcaX509v3CertificateBuilder(
                name,
                BigInteger.TEN,
                Date.from(now.minusSeconds(3_600)),
                Date.from(now.plusSeconds(3_600)),
                name,
                keys.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return new ClientCertificates(target.ca(), sign(builder, keys.getPrivate()), keys.getPrivate());
    }

    SSLContext of(Sensor sensor) {
        return withNames(uri(sensor.uri()));
    }

    /** A certificate with these subject alternative names, valid now. */
    SSLContext withNames(GeneralName... names) {
        return with(KeyPurposeId.id_kp_clientAuth, Duration.ofHours(-1), Duration.ofHours(1), names);
    }

    /** @param from start of its life, seen from now */
    SSLContext with(KeyPurposeId use, Duration from, Duration until, GeneralName... names) {
        Instant now = Instant.now();
        var builder = new JcaX509v3CertificateBuilder(
                issuer.getSubjectX500Principal(),
                new BigInteger(120, RANDOM).setBit(119),
                Date.from(now.plus(from)),
                Date.from(now.plus(until)),
                new X500Principal("CN=a sensor"),
                SENSOR_KEYS.getPublic());
        try {
            if (names.length > 0) {
                builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
            }
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(use));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return context(sign(builder, issuerKey));
    }

    /** Presents no certificate. */
    SSLContext none() {
        return context(null);
    }

    static GeneralName uri(String uri) {
        return new GeneralName(GeneralName.uniformResourceIdentifier, uri);
    }

    static GeneralName dns(String name) {
        return new GeneralName(GeneralName.dNSName, name);
    }

    private SSLContext context(@Nullable X509Certificate certificate) {
        try {
            var anchors = KeyStore.getInstance("PKCS12");
            anchors.load(null, null);
            anchors.setCertificateEntry("ca", trusted);
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(anchors);
            KeyManager[] keys = certificate == null
                    ? new KeyManager[0]
                    : new KeyManager[] {new Presenting(List.of(certificate, issuer))};
            var context = SSLContext.getInstance("TLS");
            context.init(keys, trust.getTrustManagers(), RANDOM);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static X509Certificate sign(JcaX509v3CertificateBuilder builder, PrivateKey with) {
        try {
            var signer = new JcaContentSignerBuilder(
                            with.getAlgorithm().startsWith("EC") ? "SHA256withECDSA" : "SHA256withRSA")
                    .build(with);
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        } catch (OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair newKeys() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Presents its certificate whatever the server asks for: the JDK's own would hide one of a foreign issuer. */
    private static final class Presenting extends X509ExtendedKeyManager {
        private static final String ALIAS = "sensor";

        private final X509Certificate[] chain;

        Presenting(List<X509Certificate> chain) {
            this.chain = chain.toArray(new X509Certificate[0]);
        }

        @Override
        public String chooseClientAlias(String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return ALIAS;
        }

        @Override
        public String chooseEngineClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return ALIAS;
        }

        @Override
        public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return SENSOR_KEYS.getPrivate();
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }
    }
}
