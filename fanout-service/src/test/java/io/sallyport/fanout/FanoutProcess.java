package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service as a process of its own, so that it can be killed at any moment. */
final class FanoutProcess implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final int port;

    FanoutProcess(Path dir, String... more) throws IOException {
        port = freePort();
        int management = freePort();
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                FanoutServiceApplication.class.getName(),
                "--server.port=" + port,
                "--spring.grpc.server.port=" + freePort(),
                "--management.server.port=" + management));
        command.addAll(RunningFanout.arguments(TestBroker.shared().bootstrapServers(), dir));
        command.addAll(List.of(more));
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        dir.resolve("fanout.log").toFile()))
                .start();
        await().atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> !process.isAlive() || isReady(management));
        assertThat(process.isAlive()).as("see %s/fanout.log", dir).isTrue();
    }

    JsonNode get(String token, String path) throws IOException, InterruptedException {
        return send(request(token, path).GET().build());
    }

    JsonNode post(String token, String path, String json) throws IOException, InterruptedException {
        return send(request(token, path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    /** As `kill -9` does. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(10, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            kill();
        }
    }

    private JsonNode send(HttpRequest request) throws IOException, InterruptedException {
        return JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
    }

    private HttpRequest.Builder request(String token, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + token);
    }

    private boolean isReady(int management) throws InterruptedException {
        var probe = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + management + "/actuator/health/readiness"));
        try {
            return http.send(probe.build(), BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
