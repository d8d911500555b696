package io.sallyport.session.auth;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.session.core.Authenticator;
import io.sallyport.session.core.Credential;
import io.sallyport.session.core.CredentialCheck;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CRL;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Client certificates. TLS has verified the chain; this reads the one URI SAN that names the sensor, the validity and,
 * where lists are configured, the revocation of the certificate (sensor link, section 1).
 */
public final class MtlsAuthenticator implements Authenticator {
    private static final int SAN_URI = 6;
    private static final String SCHEME = "sensor://";

    private final @Nullable ReloadedFile<List<X509CRL>> revocations;

    /**
     * @param clientCa PEM certificates that revocation lists must be signed by; read again with them
     * @param crl PEM or DER revocation lists, read again when the file changes; null = none
     * @throws IllegalArgumentException where a file cannot be used
     */
    public MtlsAuthenticator(Path clientCa, @Nullable Path crl) {
        this.revocations = crl == null ? null : new ReloadedFile<>(crl, bytes -> lists(bytes, certificates(clientCa)));
    }

    private record CertificateCredential(SensorKey named, X509Certificate certificate) implements Credential {
        @Override
        public boolean speaksFor(SensorKey sensor) {
            return named.equals(sensor);
        }

        @Override
        public String reference() {
            return "certificate " + fingerprint(certificate) + " of " + named;
        }
    }

    @Override
    public CredentialCheck check(String token, List<X509Certificate> peerChain, long nowMs) {
        if (peerChain.isEmpty()) {
            return new CredentialCheck.Fails("no client certificate");
        }
        X509Certificate certificate = peerChain.get(0);
        Optional<SensorKey> named = namedBy(certificate);
        if (named.isEmpty()) {
            return new CredentialCheck.Fails("the certificate does not have exactly one URI SAN that names a sensor");
        }
        Optional<String> ended = endOf(certificate, nowMs);
        return ended.isPresent()
                ? new CredentialCheck.Fails(ended.get())
                : new CredentialCheck.Holds(new CertificateCredential(named.get(), certificate));
    }

    @Override
    public Optional<String> endOf(Credential credential, long nowMs) {
        return endOf(((CertificateCredential) credential).certificate(), nowMs);
    }

    private Optional<String> endOf(X509Certificate certificate, long nowMs) {
        try {
            certificate.checkValidity(new Date(nowMs));
        } catch (CertificateException e) {
            return Optional.of("the certificate is not valid now");
        }
        if (revocations != null) {
            for (X509CRL list : revocations.get(nowMs)) {
                if (list.getIssuerX500Principal().equals(certificate.getIssuerX500Principal())
                        && list.isRevoked(certificate)) {
                    return Optional.of("the certificate was revoked");
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<SensorKey> namedBy(X509Certificate certificate) {
        var uris = new ArrayList<String>();
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            if (names != null) {
                for (List<?> name : names) {
                    if (name.get(0) instanceof Integer type && type == SAN_URI && name.get(1) instanceof String uri) {
                        uris.add(uri);
                    }
                }
            }
        } catch (CertificateParsingException e) {
            return Optional.empty();
        }
        if (uris.size() != 1 || !uris.get(0).startsWith(SCHEME)) {
            return Optional.empty();
        }
        return SensorKey.fromTopicKey(uris.get(0).substring(SCHEME.length()));
    }

    private static String fingerprint(X509Certificate certificate) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256, and TLS has parsed the certificate", e);
        }
    }

    private static List<X509Certificate> certificates(Path pem) {
        try (var in = Files.newInputStream(pem)) {
            var found = new ArrayList<X509Certificate>();
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                found.add((X509Certificate) certificate);
            }
            return found;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("cannot use " + pem + ": " + e.getMessage(), e);
        }
    }

    private static List<X509CRL> lists(byte[] bytes, List<X509Certificate> issuers) throws GeneralSecurityException {
        var lists = new ArrayList<X509CRL>();
        for (CRL crl : CertificateFactory.getInstance("X.509").generateCRLs(new ByteArrayInputStream(bytes))) {
            X509CRL list = (X509CRL) crl;
            verify(list, issuers);
            lists.add(list);
        }
        return List.copyOf(lists);
    }

    private static void verify(X509CRL list, List<X509Certificate> issuers) throws GeneralSecurityException {
        for (X509Certificate issuer : issuers) {
            if (issuer.getSubjectX500Principal().equals(list.getIssuerX500Principal())) {
                list.verify(issuer.getPublicKey());
                return;
            }
        }
        throw new GeneralSecurityException("a revocation list of an unknown issuer");
    }
}
