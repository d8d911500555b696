package io.sallyport.local.rest;

import io.sallyport.local.credentials.PublisherTokenIssuer;
import io.sallyport.local.stack.PlainReason;
import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A caller of fanout-service's REST API, with tokens that it is given, or issues for itself from a stack's own credentials. A
 * refusal is thrown as a {@link StackException} that begins with its stable code. Thread-safe.
 */
public final class PublishingClient {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** Longer than the service waits for a decision. */
    private static final Duration ANSWER = Duration.ofSeconds(60);

    private static final Duration TOKEN_LIFE = Duration.ofHours(1);
    private static final String PAGE_SIZE = "1000";

    private final URI endpoint;
    /** Token for a customer. */
    private final UnaryOperator<String> tokens;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(CONNECT).build();

    /**
     * @param endpoint host:port
     * @param subject who publishes
     */
    public PublishingClient(String endpoint, String subject, PublisherTokenIssuer tokens, Clock clock) {
        this(
                URI.create("http://" + endpoint),
                customer -> tokens.issue(
                        subject, List.of(customer), PublisherTokenIssuer.ALL_SCOPES, clock.instant(), TOKEN_LIFE));
    }

    /**
     * @param endpoint scheme, host and port
     * @param tokens the token for a customer
     */
    public PublishingClient(URI endpoint, UnaryOperator<String> tokens) {
        this.endpoint = endpoint;
        this.tokens = tokens;
    }

    /** An empty JSON object to fill. */
    public static ObjectNode object() {
        return JSON.createObjectNode();
    }

    /** @param message the body of POST /v1/messages */
    public JsonNode publish(String customer, ObjectNode message) throws InterruptedException {
        return send("POST", customer, "/v1/messages", message);
    }

    /** @param target sensor_id, fleet, selector or segment */
    public JsonNode preview(String customer, ObjectNode target) throws InterruptedException {
        return send("POST", customer, "/v1/messages:preview", object().set("target", target));
    }

    public JsonNode message(String customer, String msgId) throws InterruptedException {
        return send("GET", customer, "/v1/messages/" + encoded(msgId), null);
    }

    /** Every target of a message, in the order of the plan. */
    public ArrayNode targets(String customer, String msgId) throws InterruptedException {
        return pages(customer, "/v1/messages/" + encoded(msgId) + "/targets?", "targets");
    }

    public JsonNode cancel(String customer, String msgId) throws InterruptedException {
        return send("POST", customer, "/v1/messages/" + encoded(msgId) + ":cancel", null);
    }

    /** @param selector null: every known sensor of the customer */
    public ArrayNode sensors(String customer, @Nullable String selector) throws InterruptedException {
        String path = "/v1/sensors?" + (selector == null ? "" : "selector=" + encoded(selector) + "&");
        return pages(customer, path, "sensors");
    }

    /** Makes a sensor known before its first start. */
    public JsonNode register(String customer, String sensor) throws InterruptedException {
        return send("PUT", customer, "/v1/sensors/" + encoded(sensor), null);
    }

    public JsonNode putSegment(String customer, String name, List<String> sensors) throws InterruptedException {
        ObjectNode body = object();
        ArrayNode members = body.putArray("sensor_ids");
        sensors.forEach(members::add);
        return send("PUT", customer, "/v1/segments/" + encoded(name), body);
    }

    /** The newest version of a segment with all of its members. */
    public JsonNode segment(String customer, String name) throws InterruptedException {
        String path = "/v1/segments/" + encoded(name);
        var segment = (ObjectNode) send("GET", customer, path, null);
        segment.set("sensor_ids", pages(customer, path + "?", "sensor_ids"));
        segment.remove("next_page_token");
        return segment;
    }

    public JsonNode deleteSegment(String customer, String name) throws InterruptedException {
        var deleted = (ObjectNode) send("DELETE", customer, "/v1/segments/" + encoded(name), null);
        deleted.remove("next_page_token");
        return deleted;
    }

    private ArrayNode pages(String customer, String path, String items) throws InterruptedException {
        ArrayNode all = JSON.createArrayNode();
        String token = "";
        do {
            JsonNode page =
                    send("GET", customer, path + "page_size=" + PAGE_SIZE + "&page_token=" + encoded(token), null);
            page.get(items).forEach(all::add);
            token = page.get("next_page_token").asString();
        } while (!token.isEmpty());
        return all;
    }

    private JsonNode send(String method, String customer, String path, @Nullable JsonNode body)
            throws InterruptedException {
        try {
            return answer(http.send(
                    request(method, customer, path, body), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    /** As {@link #publish}; completes with the failure that it throws. */
    public CompletableFuture<JsonNode> publishLater(String customer, ObjectNode message) {
        return http.sendAsync(
                        request("POST", customer, "/v1/messages", message),
                        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
                .thenApply(this::answer);
    }

    private HttpRequest request(String method, String customer, String path, @Nullable JsonNode body) {
        return HttpRequest.newBuilder(endpoint.resolve(path))
                .timeout(ANSWER)
                .header("Authorization", "Bearer " + tokens.apply(customer))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)))
                .build();
    }

    private JsonNode answer(HttpResponse<String> response) {
        JsonNode body;
        try {
            body = JSON.readTree(response.body());
        } catch (JacksonException e) {
            throw new StackException(endpoint + " answers " + response.statusCode() + " without JSON", e);
        }
        if (response.statusCode() / 100 == 2) {
            return body;
        }
        throw new StackException(body.path("code").asString("INTERNAL") + ": "
                + body.path("detail").asString(""));
    }

    private StackException unreachable(IOException e) {
        return new StackException(
                "publishing at " + endpoint.getAuthority() + " does not answer (" + PlainReason.of(e)
                        + "); ./sallyport status tells which part is down",
                e);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
