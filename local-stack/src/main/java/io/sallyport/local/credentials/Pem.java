package io.sallyport.local.credentials;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.util.io.pem.PemObjectGenerator;

/** Certificates and PKCS#8 keys as PEM text, which every TLS stack reads. */
final class Pem {
    private Pem() {}

    static String of(X509Certificate certificate) throws IOException {
        return text(certificate);
    }

    static String of(PrivateKey key) throws IOException {
        PemObjectGenerator pkcs8 = new JcaPKCS8Generator(key, null);
        return text(pkcs8);
    }

    static X509Certificate certificate(Path file) throws IOException, GeneralSecurityException {
        try (var in = Files.newInputStream(file)) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    static PrivateKey privateKey(Path file) throws IOException {
        try (var parser = new PEMParser(Files.newBufferedReader(file))) {
            if (parser.readObject() instanceof PrivateKeyInfo info) {
                return new JcaPEMKeyConverter().getPrivateKey(info);
            }
            throw new IOException(file + " holds no PKCS#8 key");
        }
    }

    static PublicKey publicKey(Path file) throws IOException {
        try (var parser = new PEMParser(Files.newBufferedReader(file))) {
            if (parser.readObject() instanceof SubjectPublicKeyInfo info) {
                return new JcaPEMKeyConverter().getPublicKey(info);
            }
            throw new IOException(file + " holds no public key");
        }
    }

    private static String text(Object object) throws IOException {
        var text = new StringWriter();
        try (var writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }
}
