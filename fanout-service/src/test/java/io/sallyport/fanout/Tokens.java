package io.sallyport.fanout;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/** A key of its own, and tokens that it signs. */
public final class Tokens {
    static final String ISSUER = "fanout-test";

    private final String keyId = UUID.randomUUID().toString();
    private final KeyPair keys;

    public Tokens() {
        try {
            keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public void writeJwks(Path file) throws IOException {
        byte[] encoded = keys.getPublic().getEncoded();
        var key = new OctetKeyPair.Builder(
                        Curve.Ed25519,
                        Base64URL.encode(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length)))
                .keyID(keyId)
                .build();
        Files.writeString(file, new JWKSet(key).toString());
    }

    /** A valid token for publishing and reading, RESPONSE_ACTION included. */
    public String all(String... customers) {
        return token(customers, "commands:publish commands:read commands:respond", claims -> {});
    }

    public String scoped(String scope, String... customers) {
        return token(customers, scope, claims -> {});
    }

    public String token(String[] customers, String scope, Consumer<JWTClaimsSet.Builder> change) {
        return signed(new JWSHeader.Builder(JWSAlgorithm.EdDSA).keyID(keyId).build(), claims(customers, scope, change));
    }

    String signed(JWSHeader header, JWTClaimsSet claims) {
        String text = header.toBase64URL() + "." + Base64URL.encode(claims.toString());
        try {
            var signature = Signature.getInstance("Ed25519");
            signature.initSign(keys.getPrivate());
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return text + "." + Base64URL.encode(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static JWTClaimsSet claims(String[] customers, String scope, Consumer<JWTClaimsSet.Builder> change) {
        var claims = new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .audience("sallyport-publisher")
                .subject("tester")
                .issueTime(Date.from(Instant.now()))
                .expirationTime(Date.from(Instant.now().plusSeconds(3_600)))
                .claim("cust", customers.length == 1 ? customers[0] : List.of(customers))
                .claim("scope", scope);
        change.accept(claims);
        return claims.build();
    }

    String keyId() {
        return keyId;
    }
}
