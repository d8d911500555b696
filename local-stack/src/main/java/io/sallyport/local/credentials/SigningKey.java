package io.sallyport.local.credentials;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.text.ParseException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;

/** An Ed25519 key that signs tokens, kept as a JWK. Thread-safe. */
final class SigningKey {
    private static final int RAW_KEY_BYTES = 32;
    /** PKCS#8 around a raw Ed25519 key: everything but its 32 bytes is fixed. */
    private static final byte[] PKCS8_PREFIX = HexFormat.of().parseHex("302e020100300506032b657004220420");

    private final OctetKeyPair key;
    private final PrivateKey privateKey;

    /** @param jwk of a private Ed25519 key, with `kid` */
    SigningKey(String jwk) throws GeneralSecurityException {
        try {
            this.key = OctetKeyPair.parse(jwk);
        } catch (ParseException e) {
            throw new GeneralSecurityException("the token signing key is not a JWK of an octet key pair", e);
        }
        if (key.getD() == null || key.getKeyID() == null || !Curve.Ed25519.equals(key.getCurve())) {
            throw new GeneralSecurityException("the token signing key is not a private Ed25519 key with a kid");
        }
        byte[] pkcs8 = Arrays.copyOf(PKCS8_PREFIX, PKCS8_PREFIX.length + RAW_KEY_BYTES);
        System.arraycopy(key.getD().decode(), 0, pkcs8, PKCS8_PREFIX.length, RAW_KEY_BYTES);
        this.privateKey = KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    }

    /** A new private key as a JWK. */
    static String create() throws GeneralSecurityException {
        var keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        return new OctetKeyPair.Builder(Curve.Ed25519, tail(keys.getPublic().getEncoded()))
                .d(tail(keys.getPrivate().getEncoded()))
                .keyUse(KeyUse.SIGNATURE)
                .algorithm(JWSAlgorithm.EdDSA)
                .keyID("local-" + UUID.randomUUID().toString().substring(0, 8))
                .build()
                .toJSONString();
    }

    /** The public key as a JWK set, for whoever checks the tokens. */
    String publicKeys() {
        return new JWKSet(key.toPublicJWK()).toString();
    }

    String id() {
        return key.getKeyID();
    }

    /** A signed token with these claims. */
    String sign(JWTClaimsSet claims) {
        var header = new JWSHeader.Builder(JWSAlgorithm.EdDSA)
                .type(JOSEObjectType.JWT)
                .keyID(key.getKeyID())
                .build();
        String signed = header.toBase64URL() + "." + Base64URL.encode(claims.toString());
        return signed + "." + Base64URL.encode(sign(signed));
    }

    private byte[] sign(String text) {
        try {
            // The JDK's own Ed25519: the library's signer would need another crypto library.
            var signature = Signature.getInstance("Ed25519");
            signature.initSign(privateKey);
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Ed25519 does not work in this JDK", e);
        }
    }

    private static Base64URL tail(byte[] encoded) {
        return Base64URL.encode(Arrays.copyOfRange(encoded, encoded.length - RAW_KEY_BYTES, encoded.length));
    }
}
