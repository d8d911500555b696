package io.sallyport.e2e.link;

import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Sensor tokens: right ones, and every kind of wrong one. */
final class Tokens {
    static final String AUDIENCE = "sallyport-sensor";
    private static final long LIFE_S = 3_600;

    private final LinkTarget.TokenKey key;

    Tokens(LinkTarget.TokenKey key) {
        this.key = key;
    }

    String of(Sensor sensor) {
        return sign(header(), claims(sensor));
    }

    Map<String, Object> header() {
        var header = new LinkedHashMap<String, Object>();
        header.put("alg", "EdDSA");
        header.put("typ", "JWT");
        header.put("kid", key.keyId());
        return header;
    }

    Map<String, Object> claims(Sensor sensor) {
        long now = Instant.now().getEpochSecond();
        var claims = new LinkedHashMap<String, Object>();
        claims.put("iss", key.issuer());
        claims.put("aud", AUDIENCE);
        claims.put("iat", now);
        claims.put("exp", now + LIFE_S);
        claims.put("cust", sensor.customerId());
        claims.put("sub", sensor.sensorId());
        return claims;
    }

    /** Signed with the trusted key, whatever the header says. */
    String sign(Map<String, Object> header, Map<String, Object> claims) {
        return sign(header, claims, "Ed25519", key.privateKey());
    }

    static String sign(Map<String, Object> header, Map<String, Object> claims, String algorithm, PrivateKey with) {
        String signed = unsigned(header, claims);
        try {
            var signature = Signature.getInstance(algorithm);
            signature.initSign(with);
            signature.update(Bytes.ascii(signed));
            return signed + "." + Base64URL.encode(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An HMAC whose secret is the public key: what a careless verifier takes for a signature. */
    String signedWithThePublicKeyAsSecret(Map<String, Object> header, Map<String, Object> claims) {
        String signed = unsigned(header, claims);
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.publicKey(), "HmacSHA256"));
            return signed + "." + Base64URL.encode(mac.doFinal(Bytes.ascii(signed)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Header and claims without the signature and its dot. */
    static String unsigned(Map<String, Object> header, Map<String, Object> claims) {
        return Base64URL.encode(JSONObjectUtils.toJSONString(header)) + "."
                + Base64URL.encode(JSONObjectUtils.toJSONString(claims));
    }
}
