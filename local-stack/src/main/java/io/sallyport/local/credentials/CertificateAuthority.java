package io.sallyport.local.credentials;

import io.sallyport.envelope.identity.SensorKey;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Issues the certificates of a local stack, with EC P-256 keys. It is for development: its key lies in the data folder,
 * and whoever has it can be any sensor.
 *
 * @param certificate self-signed
 * @param privateKey of that certificate
 */
record CertificateAuthority(X509Certificate certificate, PrivateKey privateKey) {

    /** A certificate and the key that goes with it. */
    record Issued(X509Certificate certificate, PrivateKey privateKey) {}

    /** What a certificate may be used for. */
    private record Purpose(ASN1Encodable basic, KeyUsage usage) {}

    private static final Duration CA_LIFE = Duration.ofDays(3650);
    private static final Duration GATEWAY_LIFE = Duration.ofDays(397);
    /** Clocks of sensor and gateway may differ by this much. */
    private static final Duration SKEW = Duration.ofMinutes(5);

    private static final SecureRandom RANDOM = new SecureRandom();

    static CertificateAuthority create(Instant now) throws GeneralSecurityException {
        KeyPair keys = newKeys();
        // Several data folders on one machine: their authorities must not be taken for one another.
        var name = new X500Principal(
                "CN=Sallyport development CA " + serial().toString(16).substring(0, 8));
        var purpose = new Purpose(new BasicConstraints(0), new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        var builder = new JcaX509v3CertificateBuilder(
                name, serial(), from(now), Date.from(now.plus(CA_LIFE)), name, keys.getPublic());
        return new CertificateAuthority(sign(builder, keys, keys, purpose), keys.getPrivate());
    }

    /** A server certificate for the loopback addresses, where a local stack listens. */
    Issued gateway(Instant now) throws GeneralSecurityException {
        var names = new GeneralNames(new GeneralName[] {
            new GeneralName(GeneralName.dNSName, "localhost"),
            new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
            new GeneralName(GeneralName.iPAddress, "::1")
        });
        return issue("CN=localhost", names, KeyPurposeId.id_kp_serverAuth, now, GATEWAY_LIFE);
    }

    /** A client certificate with exactly one URI SAN, {@code sensor://customer/sensor} (sensor link, section 1). */
    Issued sensor(SensorKey sensor, Instant now, Duration life) throws GeneralSecurityException {
        var uri = new GeneralNames(new GeneralName(GeneralName.uniformResourceIdentifier, sensor.uriSan()));
        return issue("CN=" + sensor.sensorId(), uri, KeyPurposeId.id_kp_clientAuth, now, life);
    }

    /** Whether this authority has issued the certificate. */
    boolean issued(X509Certificate other) {
        try {
            other.verify(certificate.getPublicKey());
            return other.getIssuerX500Principal().equals(certificate.getSubjectX500Principal());
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private Issued issue(String subject, GeneralNames names, KeyPurposeId use, Instant now, Duration life)
            throws GeneralSecurityException {
        KeyPair keys = newKeys();
        var builder = new JcaX509v3CertificateBuilder(
                certificate.getSubjectX500Principal(),
                serial(),
                from(now),
                Date.from(now.plus(life)),
                new X500Principal(subject),
                keys.getPublic());
        try {
            builder.addExtension(Extension.subjectAlternativeName, false, names);
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(use));
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
        var own = new KeyPair(certificate.getPublicKey(), privateKey);
        var purpose = new Purpose(new BasicConstraints(false), new KeyUsage(KeyUsage.digitalSignature));
        return new Issued(sign(builder, keys, own, purpose), keys.getPrivate());
    }

    private static X509Certificate sign(
            JcaX509v3CertificateBuilder builder, KeyPair subject, KeyPair issuer, Purpose purpose)
            throws GeneralSecurityException {
        try {
            var extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, purpose.basic());
            builder.addExtension(Extension.keyUsage, true, purpose.usage());
            builder.addExtension(
                    Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(subject.getPublic()));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    extensions.createAuthorityKeyIdentifier(issuer.getPublic()));
            var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(issuer.getPrivate());
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        } catch (OperatorCreationException | CertIOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
        return generator.generateKeyPair();
    }

    private static BigInteger serial() {
        return new BigInteger(120, RANDOM).setBit(119);
    }

    private static Date from(Instant now) {
        return Date.from(now.minus(SKEW));
    }
}
