package io.sallyport.session.netty;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS of the listeners: native where this machine has it, TLS 1.3, and 1.2 only where it is asked for. */
final class TlsContexts {
    private static final Logger LOG = LoggerFactory.getLogger(TlsContexts.class);

    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private TlsContexts() {}

    static SslContext server(ListenerSpec listener, boolean tls12) {
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(
                            listener.certificate().toFile(),
                            listener.privateKey().toFile())
                    .sslProvider(provider())
                    .protocols(tls12 ? new String[] {"TLSv1.3", "TLSv1.2"} : new String[] {"TLSv1.3"});
            if (listener.clientCa() != null) {
                File clientCa = listener.clientCa().toFile();
                builder.trustManager(clientCa).clientAuth(ClientAuth.REQUIRE);
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "cannot use the certificate, key or CA of listener " + listener.name() + ": " + e.getMessage(), e);
        }
    }

    /**
     * The one that is presented, the first of its chain.
     *
     * @throws IllegalArgumentException where there is none, or the key is not its own
     */
    static X509Certificate certificate(ListenerSpec listener) {
        try (InputStream in = Files.newInputStream(listener.certificate())) {
            var certificate =
                    (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
            Matcher pkcs8 = PKCS8.matcher(Files.readString(listener.privateKey()));
            // Netty reads others too, where it has a library for them.
            if (pkcs8.find() && !belong(pkcs8.group(1), certificate.getPublicKey())) {
                throw new IllegalArgumentException(
                        "the key of listener " + listener.name() + " is not its certificate's");
            }
            return certificate;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "cannot use the certificate or key of listener " + listener.name() + ": " + e.getMessage(), e);
        }
    }

    /** Neither library that may serve them looks: each connection would fail. */
    private static boolean belong(String pkcs8, PublicKey publicKey) throws GeneralSecurityException {
        PrivateKey key = KeyFactory.getInstance(publicKey.getAlgorithm())
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pkcs8)));
        Signature signature = Signature.getInstance(
                switch (publicKey.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> publicKey.getAlgorithm();
                });
        signature.initSign(key);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        return signature.verify(signed);
    }

    private static SslProvider provider() {
        if (OpenSsl.isAvailable()) {
            return SslProvider.OPENSSL_REFCNT;
        }
        LOG.warn("no native TLS on this machine, using the JDK's: {}", String.valueOf(OpenSsl.unavailabilityCause()));
        return SslProvider.JDK;
    }
}
