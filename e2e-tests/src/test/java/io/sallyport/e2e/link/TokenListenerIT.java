package io.sallyport.e2e.link;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sallyport.e2e.link.proto.RejectCode;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Section 1 of the page, mode {@code token}: which tokens name a sensor. */
class TokenListenerIT {
    /** More than any clock skew that a gateway may forgive. */
    private static final long WELL_OFF_S = 3_600;

    private static final Sensor SENSOR = new Sensor(Sensor.CUSTOMER, "token-names");

    @Test
    void shouldAcceptARightToken() {
        var sensor = Sensor.fresh("token");
        Link.acceptedToken(sensor.start().setToken(Link.tokens().of(sensor)));
    }

    @Test
    void shouldAcceptAnAudienceAmongOthers() {
        var claims = Link.tokens().claims(SENSOR);
        claims.put("aud", List.of("something-else", Tokens.AUDIENCE));
        Link.acceptedToken(
                SENSOR.start().setToken(Link.tokens().sign(Link.tokens().header(), claims)));
    }

    static Stream<Arguments> badTokens() throws GeneralSecurityException {
        Tokens tokens = Link.tokens();
        String good = tokens.of(SENSOR);
        String[] parts = good.split("\\.", -1);
        KeyPair strange = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        KeyPair rsa = rsa();
        Map<String, Object> claims = tokens.claims(SENSOR);
        long now = Instant.now().getEpochSecond();
        return Stream.of(
                arguments("missing", ""),
                arguments("text", "letmein"),
                arguments("two parts", parts[0] + "." + parts[1]),
                arguments("four parts", good + "." + parts[2]),
                arguments("five parts", good + ".." + parts[2]),
                arguments("empty parts", ".."),
                arguments("not base64", "!" + good),
                arguments("a space at the end", good + " "),
                arguments("a line break at the end", good + "\n"),
                arguments("a space before it", " " + good),
                arguments("padding", good + "=="),
                arguments("a star inside the signature", parts[0] + "." + parts[1] + ".*" + parts[2]),
                arguments("a scheme in front", "Bearer " + good),
                arguments("a signature cut short", good.substring(0, good.length() - 4)),
                arguments("no signature", parts[0] + "." + parts[1] + "."),
                arguments("other claims under the signature", parts[0] + "." + other(tokens)[1] + "." + parts[2]),
                arguments(
                        "a signature of a strange key",
                        Tokens.sign(tokens.header(), claims, "Ed25519", strange.getPrivate())),
                arguments("alg none", Tokens.unsigned(header("alg", "none"), claims) + "."),
                arguments("alg none, still signed", tokens.sign(header("alg", "none"), claims)),
                arguments("alg NonE", Tokens.unsigned(header("alg", "NonE"), claims) + "."),
                arguments(
                        "HS256 with the public key",
                        tokens.signedWithThePublicKeyAsSecret(header("alg", "HS256"), claims)),
                arguments(
                        "RS256 under the kid of the other key",
                        Tokens.sign(header("alg", "RS256"), claims, "SHA256withRSA", rsa.getPrivate())),
                arguments("alg ES256", tokens.sign(header("alg", "ES256"), claims)),
                arguments("no alg", tokens.sign(header("alg", null), claims)),
                arguments("unknown kid", tokens.sign(header("kid", "nobody"), claims)),
                arguments("kid of a path", tokens.sign(header("kid", "../../jwks"), claims)),
                arguments("no kid", tokens.sign(header("kid", null), claims)),
                arguments(
                        "a key in its own header",
                        tokens.sign(header("jku", "https://127.0.0.1:9/"), tokenClaims("iss", "x"))),
                arguments("unknown crit", tokens.sign(header("crit", List.of("x")), claims)),
                arguments("wrong iss", tokens.sign(tokens.header(), tokenClaims("iss", "somebody"))),
                arguments("no iss", tokens.sign(tokens.header(), tokenClaims("iss", null))),
                arguments("wrong aud", tokens.sign(tokens.header(), tokenClaims("aud", "sallyport-console"))),
                arguments("no aud", tokens.sign(tokens.header(), tokenClaims("aud", null))),
                arguments("expired", tokens.sign(tokens.header(), tokenClaims("exp", now - WELL_OFF_S))),
                arguments("no exp", tokens.sign(tokens.header(), tokenClaims("exp", null))),
                arguments("exp of text", tokens.sign(tokens.header(), tokenClaims("exp", "tomorrow"))),
                arguments("not yet valid", tokens.sign(tokens.header(), tokenClaims("nbf", now + WELL_OFF_S))),
                arguments("no cust", tokens.sign(tokens.header(), tokenClaims("cust", null))),
                arguments("cust of a number", tokens.sign(tokens.header(), tokenClaims("cust", 7))),
                arguments(
                        "claims that are no JSON",
                        Tokens.sign(Map.of("alg", "EdDSA"), Map.of(), "Ed25519", strange.getPrivate())
                                .replaceFirst("\\.[^.]*\\.", ".e30x.")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badTokens")
    void shouldRefuseBadTokens(String what, String token) {
        Link.refusedToken(SENSOR.start().setToken(token), RejectCode.UNAUTHENTICATED);
    }

    @Test
    void shouldRefuseATokenOfAnotherSensor() {
        var other = new Sensor(Sensor.CUSTOMER, "token-other");
        Link.refusedToken(SENSOR.start().setToken(Link.tokens().of(other)), RejectCode.IDENTITY_MISMATCH);
    }

    @Test
    void shouldRefuseATokenOfAnotherCustomer() {
        var other = new Sensor(Sensor.OTHER_CUSTOMER, SENSOR.sensorId());
        Link.refusedToken(SENSOR.start().setToken(Link.tokens().of(other)), RejectCode.IDENTITY_MISMATCH);
    }

    @Test
    void shouldAcceptAFleetTokenForEverySensorOfItsCustomer() {
        var claims = Link.tokens().claims(SENSOR);
        claims.remove("sub");
        String fleet = Link.tokens().sign(Link.tokens().header(), claims);
        Link.acceptedToken(Sensor.fresh("token-fleet").start().setToken(fleet));
        Link.acceptedToken(Sensor.fresh("token-fleet").start().setToken(fleet));
        Link.refusedToken(
                Sensor.freshOfOtherCustomer("token-fleet").start().setToken(fleet), RejectCode.IDENTITY_MISMATCH);
    }

    @Test
    void shouldEndASessionWhoseTokenExpires() {
        var sensor = Sensor.fresh("token-expires");
        var claims = Link.tokens().claims(sensor);
        claims.put("exp", Instant.now().getEpochSecond() + 5);
        String token = Link.tokens().sign(Link.tokens().header(), claims);
        try (Session session = Link.connectToTokenListener(sensor)) {
            session.send(Frames.frame(
                            Frames.SENSOR_START, sensor.start().setToken(token).build()))
                    .expectAccept();
            session.append(Event.of(1)).expectWatermark(1);
            session.client().setPatience(90);
            session.expectFinalReject(RejectCode.UNAUTHENTICATED);
        }
    }

    private static String[] other(Tokens tokens) {
        return tokens.of(new Sensor(Sensor.OTHER_CUSTOMER, SENSOR.sensorId())).split("\\.", -1);
    }

    private static Map<String, Object> header(String name, Object value) {
        return changed(Link.tokens().header(), name, value);
    }

    private static Map<String, Object> tokenClaims(String name, Object value) {
        return changed(Link.tokens().claims(SENSOR), name, value);
    }

    /** With one entry replaced, or taken away where the value is null. */
    private static Map<String, Object> changed(Map<String, Object> map, String name, Object value) {
        if (value == null) {
            map.remove(name);
        } else {
            map.put(name, value);
        }
        return map;
    }

    private static KeyPair rsa() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2_048);
        return generator.generateKeyPair();
    }
}
