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

    /** Forgotten is not empty. */
    @Test
    void shouldRefuseAMessageWithoutAPayload() {
        String body = "{'msg_id':'hostile-empty','type':'CONFIG_UPDATE','target':{'sensor_id':'hostile-0'}%s}";
        fanout.post(acme, "/v1/messages", ApiCases.json(body.formatted(""))).refused(400, "MISSING_PAYLOAD");
        fanout.post(acme, "/v1/messages", ApiCases.json(body.formatted(",'payload':null")))
                .refused(400, "MISSING_PAYLOAD");
        fanout.post(acme, "/v1/messages", ApiCases.json(body.formatted(",'payload':''")))
                .ok();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'msg_id':7                               | msg_id",
                "'payload':'%%%'                          | payload",
                "'payload':5                              | payload",
                "'ttl_ms':'soon'                          | ttl_ms",
                "'ttl_ms':9223372036854775808             | ttl_ms",
                "'priority':1e99                          | priority",
                "'max_targets':1.5                        | max_targets",
                "'target':[]                              | target",
                "'target':{'sensor_id':{}}                | target.sensor_id",
                "'target':{'fleet':'yes'}                 | target.fleet",
            })
    void shouldNameTheFieldThatIsWrong(String fields, String field) {
        var refused = fanout.post(acme, "/v1/messages", ApiCases.json("{" + fields + "}"))
                .refused(400, "MALFORMED_REQUEST");
        assertThat(refused.text("detail")).contains("value of " + field + " ");
    }

    @Test
    void shouldNameTheItemThatIsWrong() {
        var refused = fanout.send(acme, "PUT", "/v1/segments/odd", ApiCases.json("{'sensor_ids':['hostile-0',{}]}"))
                .refused(400, "MALFORMED_REQUEST");
        assertThat(refused.text("detail")).contains("sensor_ids[1]");
    }

    /** What Tomcat and Spring find out for themselves, and what only they would call a fault of the server. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET  | /v1/sensors?page_token=%ff%fe      | application/json                    | 400",
                "GET  | /v1/sensors?selector=%c3%28        | application/json                    | 400",
                "GET  | /v1/sensors?%ff=1                  | application/json                    | 400",
                "GET  | /v1/messages/x?customer_id=%80     | application/json                    | 400",
                "POST | /v1/messages?customer_id=%ff       | application/json                    | 400",
                "POST | /v1/messages                       | application/json;charset=nonsense   | 415",
                "POST | /v1/messages                       | nonsense                            | 415",
                "POST | /v1/messages                       | multipart/form-data                 | 415",
                "POST | /v1/messages                       | multipart/form-data;boundary=x      | 415",
                "POST | /v1/messages                       | application/x-www-form-urlencoded   | 400",
                "PUT  | /v1/segments/odd                   | application/x-www-form-urlencoded   | 415",
                "DELETE | /v1/sensors                      | application/json                    | 405",
            })
    void shouldBlameTheCallerForWhatTheCallerSent(String method, String path, String contentType, int status) {
        double before = fanout.refusals("rest", "INTERNAL");
        var refused = fanout.send(
                        acme, method, path, method.equals("GET") ? null : "%ff=%zz", "Content-Type", contentType)
                .refused(status, "MALFORMED_REQUEST");
        assertThat(refused.text("detail")).doesNotContain("Exception", "resource", "supported", "Content-Type");
        assertThat(fanout.refusals("rest", "INTERNAL")).isEqualTo(before);
    }

    @Test
    void shouldAnswerABodyThatIsMuchTooLarge() {
        String body = ApiCases.json("{'msg_id':'large','type':'CONFIG_UPDATE','target':{'fleet':true},'payload':'"
                + "A".repeat(20 << 20) + "'}");
        fanout.post(acme, "/v1/messages", body).refused(413, "REQUEST_TOO_LARGE");
    }

    @Test
    void shouldRefuseTwoNamesForTheCustomer() {
        String both = fanout.tokens.all("acme", "globex");
        fanout.post(
                        both,
                        "/v1/messages?customer_id=acme",
                        ApiCases.json(
                                "{'customer_id':'globex','msg_id':'two','type':'CONFIG_UPDATE','payload':'','target':{'sensor_id':'hostile-0'}}"))
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
        var refused = fanout.send(acme, method, path, null).refused(status, code);
        // Not the framework's words, which name its parts.
        assertThat(refused.text("detail")).doesNotContain("static resource", "is not supported");
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
