package io.sallyport.session.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.session.core.Authenticator;
import io.sallyport.session.core.Credential;
import io.sallyport.session.core.CredentialCheck;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tokens: JWTs signed with a key of a JSON Web Key Set, algorithms pinned to EdDSA (Ed25519) and RS256 (sensor link,
 * section 1). Times are taken without leeway.
 */
public final class TokenAuthenticator implements Authenticator {
    private static final String AUDIENCE = "sallyport-sensor";
    /** DER of a SubjectPublicKeyInfo in front of the 32 bytes of an Ed25519 key (RFC 8410). */
    private static final byte[] ED25519_PREFIX = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0};

    private static final int ED25519_KEY_BYTES = 32;
    /** Three parts of base64url without padding; the parser alone would pass over any other character. */
    private static final Pattern COMPACT_FORM = Pattern.compile("[A-Za-z0-9_-]++\\.[A-Za-z0-9_-]++\\.[A-Za-z0-9_-]++");

    private final ReloadedFile<JWKSet> keys;
    private final String issuer;
    private final boolean allowFleetTokens;

    /**
     * @param jwks the key set; read again when it changes
     * @param allowFleetTokens whether a token without `sub` speaks for every sensor of its customer
     */
    public TokenAuthenticator(Path jwks, String issuer, boolean allowFleetTokens) {
        this.keys = new ReloadedFile<>(jwks, bytes -> JWKSet.parse(new String(bytes, StandardCharsets.UTF_8)));
        this.issuer = issuer;
        this.allowFleetTokens = allowFleetTokens;
    }

    /** {@code sensorId} null: a fleet token. */
    private record TokenCredential(
            String customerId, @Nullable String sensorId, String keyId, String keyThumbprint, long expiresAtMs)
            implements Credential {
        @Override
        public boolean speaksFor(SensorKey sensor) {
            return customerId.equals(sensor.customerId()) && (sensorId == null || sensorId.equals(sensor.sensorId()));
        }

        @Override
        public String reference() {
            return "token of key " + keyThumbprint;
        }
    }

    @Override
    public CredentialCheck check(String token, List<X509Certificate> peerChain, long nowMs) {
        if (token.isEmpty()) {
            return new CredentialCheck.Fails("no token");
        }
        if (!COMPACT_FORM.matcher(token).matches()) {
            return new CredentialCheck.Fails("the token is malformed");
        }
        try {
            SignedJWT jwt = SignedJWT.parse(token);
            JWSHeader header = jwt.getHeader();
            if (header.getKeyID() == null) {
                return new CredentialCheck.Fails("the token has no kid");
            }
            if (header.getCriticalParams() != null) {
                return new CredentialCheck.Fails("the token has critical parameters");
            }
            JWK key = keys.get(nowMs).getKeyByKeyId(header.getKeyID());
            if (key == null) {
                return new CredentialCheck.Fails("unknown key");
            }
            Optional<String> wrong = verify(jwt, key).or(() -> checkTimes(jwt, nowMs));
            return wrong.isPresent() ? new CredentialCheck.Fails(wrong.get()) : checkClaims(jwt, key);
        } catch (ParseException | JOSEException | IllegalArgumentException e) {
            return new CredentialCheck.Fails("the token is malformed");
        }
    }

    private static Optional<String> verify(SignedJWT jwt, JWK key) {
        JWSAlgorithm algorithm = jwt.getHeader().getAlgorithm();
        try {
            if (JWSAlgorithm.RS256.equals(algorithm) && key instanceof RSAKey rsa) {
                return jwt.verify(new RSASSAVerifier(rsa)) ? Optional.empty() : Optional.of("bad signature");
            }
            if (JWSAlgorithm.EdDSA.equals(algorithm)
                    && key instanceof OctetKeyPair pair
                    && Curve.Ed25519.equals(pair.getCurve())) {
                var signature = Signature.getInstance("Ed25519");
                signature.initVerify(publicKey(pair));
                signature.update(jwt.getSigningInput());
                return signature.verify(jwt.getSignature().decode()) ? Optional.empty() : Optional.of("bad signature");
            }
            return Optional.of("algorithm not allowed with this key");
        } catch (JOSEException | GeneralSecurityException e) {
            return Optional.of("bad signature");
        }
    }

    private static PublicKey publicKey(OctetKeyPair pair) throws GeneralSecurityException {
        byte[] raw = pair.getDecodedX();
        if (raw.length != ED25519_KEY_BYTES) {
            throw new GeneralSecurityException("an Ed25519 key has 32 bytes");
        }
        var encoded = new byte[ED25519_PREFIX.length + raw.length];
        System.arraycopy(ED25519_PREFIX, 0, encoded, 0, ED25519_PREFIX.length);
        System.arraycopy(raw, 0, encoded, ED25519_PREFIX.length, raw.length);
        return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
    }

    private static Optional<String> checkTimes(SignedJWT jwt, long nowMs) {
        try {
            JWTClaimsSet claims = jwt.getJWTClaimsSet();
            if (claims.getExpirationTime() == null) {
                return Optional.of("the token has no exp");
            }
            if (claims.getExpirationTime().getTime() <= nowMs) {
                return Optional.of("the token has expired");
            }
            if (claims.getNotBeforeTime() != null && claims.getNotBeforeTime().getTime() > nowMs) {
                return Optional.of("the token is not valid yet");
            }
            return Optional.empty();
        } catch (ParseException e) {
            return Optional.of("the token is malformed");
        }
    }

    private CredentialCheck checkClaims(SignedJWT jwt, JWK key) throws ParseException, JOSEException {
        JWTClaimsSet claims = jwt.getJWTClaimsSet();
        if (!issuer.equals(claims.getIssuer())) {
            return new CredentialCheck.Fails("wrong issuer");
        }
        if (!claims.getAudience().contains(AUDIENCE)) {
            return new CredentialCheck.Fails("wrong audience");
        }
        String customer = claims.getStringClaim("cust");
        if (customer == null) {
            return new CredentialCheck.Fails("the token has no cust");
        }
        if (claims.getSubject() == null && !allowFleetTokens) {
            return new CredentialCheck.Fails("a token without sub is not accepted here");
        }
        return new CredentialCheck.Holds(new TokenCredential(
                customer,
                claims.getSubject(),
                key.getKeyID(),
                key.computeThumbprint().toString(),
                claims.getExpirationTime().getTime()));
    }

    @Override
    public Optional<String> endOf(Credential credential, long nowMs) {
        TokenCredential token = (TokenCredential) credential;
        if (token.expiresAtMs() <= nowMs) {
            return Optional.of("the token has expired");
        }
        try {
            JWK key = keys.get(nowMs).getKeyByKeyId(token.keyId());
            // The same key id may name another key by now.
            if (key == null || !key.computeThumbprint().toString().equals(token.keyThumbprint())) {
                return Optional.of("the token's key was withdrawn");
            }
            return Optional.empty();
        } catch (JOSEException e) {
            return Optional.of("the token's key was withdrawn");
        }
    }
}
