package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.util.Base64URL;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are not what they should be: each gets a clear answer, and nothing is done. */
@ExtendWith(SharedFanout.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileRequestsIT {
    private final RunningFanout fanout;
    private final CommandLog log;
    private final String acme;

    HostileRequestsIT(RunningFanout fanout, CommandLog log) {
        this.fanout = fanout;
        this.log = log;
        this.acme = fanout.tokens.all("acme");
    }

    @BeforeAll
    void sensors() {
        log.fleet("acme", "hostile-", 2, "hostile");
        fanout.awaitSensors(acme, "tag.suite = hostile", 2);
    }

    @Test
    void shouldTakeNoTokenThatIsNotWhollyRight() {
        var tokens = new LinkedHashMap<String, String>();
        tokens.put("garbage", "abc");
        tokens.put(
                "expired",
                changed(claims -> claims.expirationTime(Date.from(Instant.now().minusSeconds(300)))));
        tokens.put("no end", changed(claims -> claims.expirationTime(null)));
        tokens.put(
                "not yet",
                changed(claims -> claims.notBeforeTime(Date.from(Instant.now().plusSeconds(300)))));
        tokens.put("a sensor's", changed(claims -> claims.audience("sallyport-sensor")));
        tokens.put("no audience", changed(claims -> claims.audience((String) null)));
        tokens.put("other issuer", changed(claims -> claims.issuer("someone")));
        tokens.put("no subject", changed(claims -> claims.subject(null)));
        tokens.put("no customer", changed(claims -> claims.claim("cust", List.of())));
        tokens.put("odd customer", changed(claims -> claims.claim("cust", List.of("acme", 7))));
        tokens.put("other key", new Tokens().all("acme"));
        tokens.put("own key under that name", forgedKey());
        tokens.put("no signature", unsigned());
        tokens.put("cut", acme.substring(0, acme.length() - 4));
        tokens.put("too long", acme + "x".repeat(5_000));
        double before = fanout.refusals("rest", "UNAUTHENTICATED");
        tokens.forEach((why, token) ->
                assertThat(fanout.get(token, "/v1/sensors").status()).as(why).isIn(401, 400));
        assertThat(fanout.refusals("rest", "UNAUTHENTICATED") - before).isEqualTo(tokens.size());
        fanout.get(acme, "/v1/sensors").ok();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'target':{'fleet':1}                                        | MALFORMED_REQUEST",
                "'target':{'fleet':'true'}                                   | MALFORMED_REQUEST",
                "'target':{'fleet':true,'sensor_id':'hostile-0'}             | MALFORMED_REQUEST",
                "'target':{'sensor_id':'hostile-0'},'target':{'fleet':true}  | MALFORMED_REQUEST",
                "'target':{'sensor_id':7}                                    | MALFORMED_REQUEST",
                "'target':[]                                                 | MALFORMED_REQUEST",
                "'target':{'sensor_id':'hostile-0'},'priority':1.9           | MALFORMED_REQUEST",
                "'target':{'sensor_id':'hostile-0'},'max_targets':'9'        | MALFORMED_REQUEST",
                "'target':{'sensor_id':'hostile-0'},'max_targets':1e99       | MALFORMED_REQUEST",
                "'target':{'sensor_id':'hostile-0'},'payload':'%%%'          | MALFORMED_REQUEST",
                "'target':{'sensor_id':'hostile-0'},'customer_id':'globex'   | CROSS_TENANT",
                "'target':{'sensor_id':'hostile-0','x':1}                    | UNKNOWN_KEY",
            })
    void shouldGuessNothing(String fields, String code) {
        fanout.post(acme, "/v1/messages", ApiCases.json("{'msg_id':'hostile','type':'CONFIG_UPDATE'," + fields + "}"))
                .refused(code.equals("CROSS_TENANT") ? 403 : 400, code);
        fanout.get(acme, "/v1/messages/hostile").refused(404, "UNKNOWN_MESSAGE");
    }

    @Test
    void shouldRefuseTwoNamesForTheCustomer() {
        String both = fanout.tokens.all("acme", "globex");
        fanout.post(
                        both,
                        "/v1/messages?customer_id=acme",
                        ApiCases.json(
                                "{'customer_id':'globex','msg_id':'two','type':'CONFIG_UPDATE','target':{'sensor_id':'hostile-0'}}"))
                .refused(400, "MALFORMED_REQUEST");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/nothing, 404, NO_SUCH_ROUTE",
        "GET, /, 404, NO_SUCH_ROUTE",
        "GET, /actuator/health, 404, NO_SUCH_ROUTE",
        "PATCH, /v1/messages, 405, MALFORMED_REQUEST",
        "GET, /v1/messages, 405, MALFORMED_REQUEST",
        "GET, /v1/messages/a%2Fb, 400, MALFORMED_REQUEST",
        "GET, /v1/messages/a%00b, 400, MALFORMED_REQUEST",
        "GET, /v1/messages/a;b=c, 400, MALFORMED_REQUEST",
        "GET, /v1//messages, 400, MALFORMED_REQUEST",
        "GET, /v1/messages/%2e%2e/x, 400, MALFORMED_REQUEST",
    })
    void shouldAnswerOddPathsWithProblemDetails(String method, String path, int status, String code) {
        fanout.send(acme, method, path, null).refused(status, code);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GARBAGE\r\n\r\n",
                "GET /v1/sensors HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
                "GET /v1/sensors HTTP/1.1\r\nHost: a\r\nX: %s\r\n\r\n",
                "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /v1/sensors?selector=%%zz HTTP/1.1\r\nHost: a\r\n\r\n"
            })
    void shouldOutliveWhatIsNoRequest(String bytes) throws IOException {
        try (var socket = new Socket("127.0.0.1", fanout.port())) {
            socket.setSoTimeout(10_000);
            OutputStream out = socket.getOutputStream();
            out.write(bytes.formatted("x".repeat(100_000)).getBytes(StandardCharsets.US_ASCII));
            out.flush();
            socket.shutdownOutput();
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            // Nothing of this server's insides.
            assertThat(answer).doesNotContain("Exception", "Tomcat", "at org.");
            assertThat(answer.isEmpty() || answer.startsWith("HTTP/1.1 4"))
                    .as(answer)
                    .isTrue();
        } catch (java.net.SocketException e) {
            // Cut off while it was still talking: also an answer.
            assertThat(e).hasMessageContaining("eset");
        }
        fanout.get(acme, "/v1/sensors").ok();
    }

    private String changed(java.util.function.Consumer<com.nimbusds.jwt.JWTClaimsSet.Builder> change) {
        return fanout.tokens.token(new String[] {"acme"}, "commands:read", change);
    }

    private String forgedKey() {
        var header = new JWSHeader.Builder(JWSAlgorithm.EdDSA)
                .keyID(fanout.tokens.keyId())
                .build();
        return new Tokens().signed(header, Tokens.claims(new String[] {"acme"}, "commands:read", claims -> {}));
    }

    private String unsigned() {
        return Base64URL.encode("{\"alg\":\"none\",\"kid\":\"" + fanout.tokens.keyId() + "\"}") + "."
                + Base64URL.encode(Tokens.claims(new String[] {"acme"}, "commands:read", claims -> {})
                        .toString()) + ".";
    }
}
