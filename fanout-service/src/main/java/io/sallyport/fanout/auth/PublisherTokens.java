package io.sallyport.fanout.auth;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.fanout.core.Publisher;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;

/**
 * The claims of a publisher's token: {@code sub}; {@code cust}, one customer id or several; {@code scope}, words
 * separated by spaces. It must have an end of its life, and name this API as its audience.
 */
public final class PublisherTokens {
    private static final String CUSTOMERS = "cust";
    private static final String SCOPE = "scope";
    private static final int MAX_SUBJECT_CHARS = 256;
    private static final int MAX_CUSTOMERS = 1_000;

    private PublisherTokens() {}

    /** The publisher of an authenticated call. */
    public static Publisher publisher(Authentication authentication) {
        if (authentication instanceof JwtAuthenticationToken token) {
            return publisher(token.getToken());
        }
        throw new IllegalStateException("a call without a token has passed authentication");
    }

    /**
     * Checks signature, life, issuer and claims of a token.
     *
     * @param jwks key set that signs tokens; read again when it changes
     */
    public static JwtDecoder decoder(Path jwks, String issuer, String audience) {
        return new JwksFileDecoder(
                jwks,
                new DelegatingOAuth2TokenValidator<>(
                        new JwtTimestampValidator(), new JwtIssuerValidator(issuer), claims(audience)));
    }

    static Publisher publisher(Jwt jwt) {
        String scope = jwt.getClaimAsString(SCOPE);
        String subject = jwt.getSubject();
        if (subject == null) {
            throw new IllegalStateException("a token without a subject has passed its checks");
        }
        return new Publisher(
                subject,
                customers(jwt),
                scope == null || scope.isBlank()
                        ? Set.<String>of()
                        : new HashSet<>(List.of(scope.trim().split(" +"))));
    }

    /** @param audience that a token must name */
    static OAuth2TokenValidator<Jwt> claims(String audience) {
        return jwt -> {
            if (jwt.getExpiresAt() == null) {
                return failed("the token has no end");
            }
            List<String> audiences = jwt.getAudience();
            if (audiences == null || !audiences.contains(audience)) {
                return failed("the token is for another audience");
            }
            String subject = jwt.getSubject();
            if (subject == null || subject.isBlank() || subject.length() > MAX_SUBJECT_CHARS) {
                return failed("the token names no subject");
            }
            Set<String> customers = customers(jwt);
            if (customers.isEmpty()
                    || customers.size() > MAX_CUSTOMERS
                    || !customers.stream().allMatch(SensorKey::isValidId)) {
                return failed("the token names no customer");
            }
            return OAuth2TokenValidatorResult.success();
        };
    }

    private static Set<String> customers(Jwt jwt) {
        Object claim = jwt.getClaims().get(CUSTOMERS);
        var customers = new HashSet<String>();
        if (claim instanceof String one) {
            customers.add(one);
        } else if (claim instanceof Collection<?> several) {
            // Anything but text makes an id that is not valid, and so an invalid token.
            several.forEach(customer -> customers.add(customer instanceof String text ? text : ""));
        }
        return customers;
    }

    private static OAuth2TokenValidatorResult failed(String why) {
        return OAuth2TokenValidatorResult.failure(new OAuth2Error(OAuth2ErrorCodes.INVALID_TOKEN, why, null));
    }
}
