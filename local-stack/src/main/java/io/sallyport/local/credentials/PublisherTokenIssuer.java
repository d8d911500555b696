package io.sallyport.local.credentials;

import com.nimbusds.jwt.JWTClaimsSet;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.UUID;

/**
 * Signs the tokens of publishers with a key of their own: what signs for sensors opens nothing here, nor the other way
 * round. Thread-safe.
 */
public final class PublisherTokenIssuer {
    /** {@code aud} that publishing asks for. */
    public static final String AUDIENCE = "sallyport-publisher";

    /** Everything that a publisher may do, RESPONSE_ACTION included. */
    public static final List<String> ALL_SCOPES = List.of("commands:publish", "commands:read", "commands:respond");

    private final SigningKey key;

    /** @param jwk of a private Ed25519 key, with `kid` */
    PublisherTokenIssuer(String jwk) throws GeneralSecurityException {
        this.key = new SigningKey(jwk);
    }

    /** The public key as a JWK set, for whoever checks the tokens. */
    String publicKeys() {
        return key.publicKeys();
    }

    /**
     * A token that speaks for these customers.
     *
     * @param subject who publishes; it stands in the audit log and travels with each message
     * @param now start of its life
     */
    public String issue(String subject, List<String> customers, List<String> scopes, Instant now, Duration life) {
        return key.sign(new JWTClaimsSet.Builder()
                .issuer(TokenIssuer.ISSUER)
                .audience(AUDIENCE)
                .subject(subject)
                .jwtID(UUID.randomUUID().toString())
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(life)))
                .claim("cust", customers.size() == 1 ? customers.get(0) : customers)
                .claim("scope", String.join(" ", scopes))
                .build());
    }
}
