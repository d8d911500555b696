package io.sallyport.local.credentials;

import com.nimbusds.jwt.JWTClaimsSet;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Optional;
import java.util.UUID;

/** Signs the sensor tokens of a local stack with Ed25519 (sensor link, section 1). Thread-safe. */
public final class TokenIssuer {
    /** {@code iss} of every token of a local stack. */
    public static final String ISSUER = "sallyport-local";
    /** {@code aud} that the sensor link asks for. */
    public static final String AUDIENCE = "sallyport-sensor";

    private final SigningKey key;

    /** @param jwk of a private Ed25519 key, with `kid` */
    TokenIssuer(String jwk) throws GeneralSecurityException {
        this.key = new SigningKey(jwk);
    }

    /** The public key as a JWK set, for whoever checks the tokens. */
    String publicKeys() {
        return key.publicKeys();
    }

    public String keyId() {
        return key.id();
    }

    /**
     * A token for a sensor, or for any sensor of the customer where {@code sensorId} is empty.
     *
     * @param now start of its life
     */
    public String issue(String customerId, Optional<String> sensorId, Instant now, Duration life) {
        var claims = new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .audience(AUDIENCE)
                .jwtID(UUID.randomUUID().toString())
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(life)))
                .claim("cust", customerId);
        sensorId.ifPresent(claims::subject);
        return key.sign(claims.build());
    }
}
