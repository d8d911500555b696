package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.fanout.config.BoundPorts;
import io.sallyport.proto.publish.v1.PublishingGrpc;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service on free ports over the test broker, and callers of both edges. */
public final class RunningFanout implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    private final ConfigurableApplicationContext context;
    private final BoundPorts ports;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<ManagedChannel> channels = new ArrayList<>();
    public final Tokens tokens;

    /** An answer over HTTP. */
    public record Reply(int status, String contentType, JsonNode body) {
        public String text(String name) {
            JsonNode value = body.get(name);
            return value == null ? null : value.asString();
        }

        public long number(String name) {
            return body.get(name).asLong();
        }

        /** The texts of a list; of one field of its items where {@code field} is given. */
        public List<String> texts(String list, String... field) {
            var texts = new ArrayList<String>();
            body.get(list)
                    .forEach(item -> texts.add(
                            field.length == 0
                                    ? item.asString()
                                    : item.get(field[0]).asString()));
            return texts;
        }

        public Reply ok() {
            assertThat(status).as(toString()).isIn(200, 202);
            return this;
        }

        /** Problem details with this code. */
        public Reply refused(int expectedStatus, String code) {
            assertThat(status).as(toString()).isEqualTo(expectedStatus);
            assertThat(contentType).isEqualTo("application/problem+json");
            assertThat(text("code")).as(toString()).isEqualTo(code);
            assertThat(number("status")).isEqualTo(expectedStatus);
            assertThat(text("type")).isEqualTo("urn:sallyport:error:" + code.toLowerCase(java.util.Locale.ROOT));
            assertThat(text("title")).isNotBlank();
            assertThat(number("number")).isPositive();
            return this;
        }
    }

    private RunningFanout(ConfigurableApplicationContext context, Tokens tokens) {
        this.context = context;
        this.tokens = tokens;
        this.ports = context.getBean(BoundPorts.class);
    }

    public static RunningFanout start(Path dir, String... more) throws IOException {
        return start(dir, new Tokens(), more);
    }

    public static RunningFanout start(Path dir, Tokens tokens, String... more) throws IOException {
        return startOn(TestBroker.shared().bootstrapServers(), dir, tokens, more);
    }

    static RunningFanout startOn(String bootstrapServers, Path dir, Tokens tokens, String... more) throws IOException {
        tokens.writeJwks(dir.resolve("jwks.json"));
        var arguments = new ArrayList<>(arguments(bootstrapServers, dir));
        arguments.addAll(List.of("--server.port=0", "--spring.grpc.server.port=0", "--management.server.port=0"));
        arguments.addAll(List.of(more));
        var application = new SpringApplication(FanoutServiceApplication.class);
        application.setDefaultProperties(java.util.Map.of("spring.config.name", "fanout-service"));
        var running = new RunningFanout(application.run(arguments.toArray(String[]::new)), tokens);
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(
                                running.management("/actuator/health/readiness").status())
                        .isEqualTo(200));
        return running;
    }

    static List<String> arguments(String bootstrapServers, Path dir) throws IOException {
        Files.createDirectories(dir.resolve("state"));
        return List.of(
                "--sallyport.fanout.bootstrap-servers=" + bootstrapServers,
                "--sallyport.fanout.state-dir=" + dir.resolve("state"),
                "--sallyport.fanout.auth.jwks=" + dir.resolve("jwks.json"),
                "--sallyport.fanout.auth.issuer=" + Tokens.ISSUER);
    }

    public Reply get(String token, String path) {
        return send(token, "GET", path, null);
    }

    public Reply post(String token, String path, String json) {
        return send(token, "POST", path, json);
    }

    public Reply send(String token, String method, String path, String json, String... headers) {
        return exchange("http://127.0.0.1:" + ports.rest() + path, token, method, json, headers);
    }

    /** Every page of a list, followed by its tokens. */
    public List<Reply> pages(String token, String path) {
        var pages = new ArrayList<Reply>();
        String next = "";
        do {
            Reply page = get(token, path + (path.contains("?") ? "&" : "?") + "page_token=" + next)
                    .ok();
            pages.add(page);
            next = page.text("next_page_token");
        } while (!next.isEmpty());
        return pages;
    }

    /** Waits until this node knows so many sensors that match. */
    public void awaitSensors(String token, String selector, int count) {
        String path = "/v1/sensors?page_size=1&selector="
                + java.net.URLEncoder.encode(selector, java.nio.charset.StandardCharsets.UTF_8);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            Reply page = get(token, path);
            assertThat(page.status()).as(page.toString()).isEqualTo(200);
            assertThat(page.number("count")).isEqualTo(count);
        });
    }

    public double refusals(String edge, String code) {
        return bean(MeterRegistry.class)
                .counter("sallyport.fanout.refusals", "edge", edge, "reason", code)
                .count();
    }

    /** Its REST port. */
    public int port() {
        return ports.rest();
    }

    public Reply management(String path) {
        return exchange("http://127.0.0.1:" + ports.management() + path, null, "GET", null);
    }

    private Reply exchange(String uri, String token, String method, String json, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(uri))
                .setHeader("Content-Type", "application/json")
                .timeout(Duration.ofSeconds(60))
                .method(
                        method,
                        json == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(json));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        try {
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            String type = response.headers().firstValue("Content-Type").orElse("");
            boolean isJson = type.contains("json");
            return new Reply(response.statusCode(), type, isJson ? JSON.readTree(response.body()) : JSON.nullNode());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public ManagedChannel channel() {
        var channel = ManagedChannelBuilder.forAddress("127.0.0.1", ports.grpc())
                .usePlaintext()
                .build();
        channels.add(channel);
        return channel;
    }

    public PublishingGrpc.PublishingBlockingStub grpc(String token) {
        if (token == null) {
            return PublishingGrpc.newBlockingStub(channel());
        }
        var headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        return PublishingGrpc.newBlockingStub(channel())
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public double alerts(String kind) {
        return bean(MeterRegistry.class)
                .counter("sallyport.alerts", "kind", kind)
                .count();
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
        context.close();
    }
}
