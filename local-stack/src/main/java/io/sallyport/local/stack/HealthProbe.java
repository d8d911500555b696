package io.sallyport.local.stack;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/** Asks each part of a stack whether it serves, from outside and within seconds. */
public final class HealthProbe {
    private static final int CONNECT_MS = 2_000;
    private static final int ANSWER_MS = 5_000;

    private final Endpoints endpoints;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofMillis(CONNECT_MS))
            .build();

    public HealthProbe(Endpoints endpoints) {
        this.endpoints = endpoints;
    }

    /** Every part, the broker first. */
    public List<PartHealth> all() throws InterruptedException {
        var parts = new ArrayList<PartHealth>();
        parts.add(broker());
        for (String service : Endpoints.SERVICES) {
            parts.add(service(service));
        }
        parts.add(listener("sensor-link mtls", endpoints.mtls()));
        parts.add(listener("sensor-link token", endpoints.token()));
        parts.add(listener("publishing rest", endpoints.publishing().rest()));
        parts.add(listener("publishing grpc", endpoints.publishing().grpc()));
        return parts;
    }

    /** A part of the stack by its process name. */
    public PartHealth part(String name) throws InterruptedException {
        return name.equals(Endpoints.BROKER) ? broker() : service(name);
    }

    /** Whether the broker answers. */
    public PartHealth broker() throws InterruptedException {
        String at = endpoints.bootstrapServers();
        if (!accepts(at)) {
            return new PartHealth(Endpoints.BROKER, false, at + " refuses connections");
        }
        Map<String, Object> config = Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, at,
                AdminClientConfig.CLIENT_ID_CONFIG, "sallyport-status",
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MS);
        try (Admin admin = Admin.create(config)) {
            int nodes = admin.describeCluster().nodes().get().size();
            return new PartHealth(Endpoints.BROKER, nodes > 0, at);
        } catch (ExecutionException e) {
            return new PartHealth(Endpoints.BROKER, false, at + ": " + e.getCause());
        }
    }

    private PartHealth service(String name) throws InterruptedException {
        String at = endpoints.management(name);
        var request = HttpRequest.newBuilder(URI.create("http://" + at + "/actuator/health/readiness"))
                .timeout(Duration.ofMillis(ANSWER_MS))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            boolean ready = answer.statusCode() == 200;
            return new PartHealth(
                    name, ready, ready ? at : at + " answers " + answer.statusCode() + " " + answer.body());
        } catch (IOException e) {
            return new PartHealth(name, false, at + " does not answer: " + reason(e));
        }
    }

    private static PartHealth listener(String name, String at) {
        boolean accepts = accepts(at);
        return new PartHealth(name, accepts, accepts ? at : at + " refuses connections");
    }

    /** Whether something takes TCP connections at {@code host:port}; tells a stopped part within milliseconds. */
    public static boolean accepts(String endpoint) {
        try (var socket = new Socket()) {
            socket.connect(Endpoints.address(endpoint), CONNECT_MS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String reason(IOException e) {
        return Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    }
}
