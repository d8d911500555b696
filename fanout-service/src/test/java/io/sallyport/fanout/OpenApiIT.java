package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.fanout.ApiCases.Case;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The OpenAPI document says what the server does, no more and no less. */
@ExtendWith(SharedFanout.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenApiIT {
    /** Answers that take a broken log, a full node or 256 segments; every other one is had. */
    private static final Set<String> NOT_HAD_HERE = Set.of(
            "INTERNAL", "OVERLOADED", "LOG_UNAVAILABLE", "DECISION_TIMEOUT", "STATUS_LAGGING", "TOO_MANY_SEGMENTS");

    private final RunningFanout fanout;
    private final CommandLog log;
    private JsonNode document;
    private final Map<String, JsonNode> operations = new TreeMap<>();

    OpenApiIT(RunningFanout fanout, CommandLog log) {
        this.fanout = fanout;
        this.log = log;
    }

    @BeforeAll
    void read() {
        document = fanout.get(null, "/v3/api-docs").ok().body();
        document.get("paths")
                .forEach(path -> path.forEach(
                        operation -> operations.put(operation.get("operationId").asString(), operation)));
        ApiCases.prepare(fanout, log);
    }

    static Stream<Case> cases() {
        return ApiCases.all().stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldAnswerAsItIsDocumented(Case one) {
        var reply = ApiCases.send(fanout, one);

        assertThat(reply.status()).as(reply.toString()).isEqualTo(one.status());
        JsonNode documented = operations.get(one.operation()).get("responses").get(Integer.toString(one.status()));
        assertThat(documented).as("%s is documented", one).isNotNull();
        JsonNode content = documented.get("content");
        String type = reply.contentType().split(";")[0];
        assertThat(content.propertyNames()).containsExactly(type);
        if (one.code() == null) {
            shouldHaveTheFieldsOf(content.get(type).get("schema"), reply.body());
        } else {
            reply.refused(one.status(), one.code());
            assertThat(List.of(documented.get("description").asString().split(", ")))
                    .contains(one.code());
            var problem =
                    document.get("components").get("schemas").get("Problem").get("properties");
            assertThat(problem.propertyNames()).containsAll(reply.body().propertyNames());
        }
    }

    @Test
    void shouldDocumentNoAnswerThatCannotBeHad() {
        var had = new HashMap<String, Set<String>>();
        ApiCases.all()
                .forEach(one -> had.computeIfAbsent(one.operation(), key -> new HashSet<>())
                        .add(one.status() + " " + (one.code() == null ? "" : one.code())));
        operations.forEach((id, operation) -> {
            var documented = new TreeSet<String>();
            operation.get("responses").forEachEntry((status, response) -> {
                if (status.startsWith("2")) {
                    documented.add(status + " ");
                } else {
                    for (String code : response.get("description").asString().split(", ")) {
                        if (!NOT_HAD_HERE.contains(code)) {
                            documented.add(status + " " + code);
                        }
                    }
                }
            });
            assertThat(documented).as(id).isEqualTo(new TreeSet<>(had.get(id)));
        });
        assertThat(had.keySet()).isEqualTo(operations.keySet());
    }

    @Test
    void shouldDocumentEveryFieldOfARequestThatIsReadAndNoOther() {
        JsonNode schemas = document.get("components").get("schemas");
        assertThat(schemas.get("PublishRequest").get("properties").propertyNames())
                .containsExactlyInAnyOrder(
                        "customer_id",
                        "msg_id",
                        "target",
                        "type",
                        "priority",
                        "ttl_ms",
                        "coalesce_key",
                        "payload",
                        "max_targets",
                        "preview_token",
                        "jitter_ms");
        assertThat(schemas.get("Target").get("properties").propertyNames())
                .containsExactlyInAnyOrder("sensor_id", "fleet", "selector", "segment");
        String acme = fanout.tokens.all("acme");
        fanout.post(acme, "/v1/messages", ApiCases.json("""
                {'customer_id':'acme','msg_id':'api-all','target':{'sensor_id':'api-0','fleet':null,'selector':null,'segment':null},
                 'type':'SENSOR_UPDATE','priority':1,'ttl_ms':60000,'coalesce_key':'v1','payload':'AA==','max_targets':1,
                 'preview_token':'','jitter_ms':5}""")).ok();
    }

    private void shouldHaveTheFieldsOf(JsonNode schema, JsonNode body) {
        JsonNode resolved = resolved(schema);
        if (body.isArray()) {
            body.forEach(item -> shouldHaveTheFieldsOf(resolved.get("items"), item));
        } else if (body.isObject() && resolved.get("properties") != null) {
            JsonNode properties = resolved.get("properties");
            assertThat(properties.propertyNames()).containsAll(body.propertyNames());
            if (!schema.toString().contains("/Target\"")) {
                assertThat(body.propertyNames()).containsAll(properties.propertyNames());
            }
            body.forEachEntry((name, value) -> shouldHaveTheFieldsOf(properties.get(name), value));
        } else {
            String type = resolved.get("type").asString();
            assertThat(type)
                    .isEqualTo(
                            body.isString()
                                    ? "string"
                                    : body.isBoolean() ? "boolean" : body.isObject() ? "object" : "integer");
        }
    }

    private JsonNode resolved(JsonNode schema) {
        JsonNode reference = schema.get("$ref");
        return reference == null
                ? schema
                : document.get("components")
                        .get("schemas")
                        .get(reference.asString().replaceAll(".*/", ""));
    }
}
