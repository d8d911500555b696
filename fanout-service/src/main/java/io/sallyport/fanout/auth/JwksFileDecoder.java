package io.sallyport.fanout.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.MappedJwtClaimSetConverter;

/**
 * Checks bearer tokens against a JSON Web Key Set in a file, which is read again when it changes. Two algorithms are
 * accepted, EdDSA over Ed25519 and RS256, each only with a key of its kind: what a token claims never chooses more.
 *
 * <p>The signature is checked by the JDK: the library's own Ed25519 needs another crypto library.
 */
final class JwksFileDecoder implements JwtDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(JwksFileDecoder.class);
    private static final int MAX_TOKEN_CHARS = 16_384;
    /** X.509 around a raw Ed25519 key: everything but its 32 bytes is fixed. */
    private static final byte[] ED25519_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

    private record Keys(JWKSet set, FileTime modified) {}

    private final Path file;
    private final OAuth2TokenValidator<Jwt> validator;
    private final MappedJwtClaimSetConverter claims = MappedJwtClaimSetConverter.withDefaults(Map.of());
    private volatile @Nullable Keys keys;

    JwksFileDecoder(Path file, OAuth2TokenValidator<Jwt> validator) {
        this.file = file;
        this.validator = validator;
        keys();
    }

    @Override
    public Jwt decode(String token) {
        if (token.length() > MAX_TOKEN_CHARS) {
            throw new BadJwtException("the token is too long");
        }
        Jwt jwt;
        try {
            // Refuses an unsecured token (alg none): that is no signed one.
            var signed = SignedJWT.parse(token);
            if (signed.getHeader().getCriticalParams() != null) {
                throw new BadJwtException("the token demands what is not known here");
            }
            verify(signed);
            jwt = jwt(token, signed);
        } catch (ParseException | GeneralSecurityException | JOSEException | IllegalArgumentException e) {
            throw new BadJwtException("the token is not valid", e);
        }
        OAuth2TokenValidatorResult result = validator.validate(jwt);
        if (result.hasErrors()) {
            throw new JwtValidationException("the token is not valid here", result.getErrors());
        }
        return jwt;
    }

    private void verify(SignedJWT token) throws GeneralSecurityException, JOSEException {
        var header = token.getHeader();
        JWK key = header.getKeyID() == null ? null : keys().getKeyByKeyId(header.getKeyID());
        if (key == null) {
            throw new BadJwtException("no known key has signed the token");
        }
        Signature signature;
        if (JWSAlgorithm.EdDSA.equals(header.getAlgorithm())
                && key instanceof OctetKeyPair pair
                && Curve.Ed25519.equals(pair.getCurve())) {
            signature = Signature.getInstance("Ed25519");
            signature.initVerify(ed25519(pair));
        } else if (JWSAlgorithm.RS256.equals(header.getAlgorithm()) && key instanceof RSAKey rsa) {
            signature = Signature.getInstance("SHA256withRSA");
            signature.initVerify(rsa.toPublicKey());
        } else {
            throw new BadJwtException("the token's algorithm is not one that its key is for");
        }
        signature.update(token.getSigningInput());
        if (!signature.verify(token.getSignature().decode())) {
            throw new BadJwtException("the token's signature is wrong");
        }
    }

    private Jwt jwt(String token, SignedJWT signed) throws ParseException {
        JWTClaimsSet set = signed.getJWTClaimsSet();
        return new Jwt(
                token,
                instant(set.getIssueTime()),
                instant(set.getExpirationTime()),
                signed.getHeader().toJSONObject(),
                claims.convert(set.getClaims()));
    }

    private static @Nullable Instant instant(@Nullable Date date) {
        return date == null ? null : date.toInstant();
    }

    private static PublicKey ed25519(OctetKeyPair pair) throws GeneralSecurityException {
        byte[] raw = pair.getX().decode();
        var encoded = new byte[ED25519_PREFIX.length + raw.length];
        System.arraycopy(ED25519_PREFIX, 0, encoded, 0, ED25519_PREFIX.length);
        System.arraycopy(raw, 0, encoded, ED25519_PREFIX.length, raw.length);
        return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
    }

    /** The keys of the file as it is now; those of before while it cannot be read. */
    private JWKSet keys() {
        Keys known = keys;
        try {
            FileTime modified = Files.getLastModifiedTime(file);
            if (known == null || !known.modified().equals(modified)) {
                known = new Keys(JWKSet.parse(Files.readString(file)), modified);
                keys = known;
            }
        } catch (IOException | ParseException e) {
            if (known == null) {
                throw new IllegalStateException("cannot read the key set " + file, e);
            }
            LOG.warn("cannot read the key set {} again, the keys of before stay", file, e);
        }
        return known.set();
    }
}
