package io.sallyport.local.stack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Where a running stack serves; kept in {@code run/stack.json} for the other commands while it runs.
 *
 * @param bootstrapServers of Kafka, {@code host:port}
 * @param mtls sensor link with client certificates, {@code host:port}
 * @param token sensor link with tokens, {@code host:port}
 * @param publishing where messages are published
 * @param management health and metrics of each service, and of each further gateway, by its name, {@code host:port}
 * @param processes the broker and each service are processes of their own
 * @param pid of the process that started the stack
 */
public record Endpoints(
        String bootstrapServers,
        String mtls,
        String token,
        Publishing publishing,
        Map<String, String> management,
        boolean processes,
        long pid) {

    /**
     * The two edges of publishing.
     *
     * @param rest over HTTP, {@code host:port}
     * @param grpc {@code host:port}
     */
    public record Publishing(String rest, String grpc) {}

    public static final String BROKER = "broker";
    public static final String SESSION_SERVICE = "session-service";
    public static final String NORMALIZER_SERVICE = "normalizer-service";
    public static final String COMMAND_ROUTER = "command-router";
    public static final String FANOUT_SERVICE = "fanout-service";
    public static final String COLD_EXPORT = "cold-export";
    /** In the order of their management ports, and of their stops: the gateway drains while the others still serve. */
    public static final List<String> SERVICES =
            List.of(SESSION_SERVICE, NORMALIZER_SERVICE, COMMAND_ROUTER, FANOUT_SERVICE, COLD_EXPORT);

    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    public Endpoints {
        management = Map.copyOf(management);
        if (!management.keySet().containsAll(SERVICES)) {
            throw new IllegalArgumentException("a service has no management endpoint");
        }
    }

    /** The management endpoint of a service. */
    public String management(String service) {
        String at = management.get(service);
        if (at == null) {
            throw new IllegalArgumentException("no service " + service);
        }
        return at;
    }

    /** The gateway that every stack has. */
    public Gateway gateway() {
        return new Gateway(SESSION_SERVICE, 0, mtls, token, management(SESSION_SERVICE));
    }

    /** As another gateway serves. */
    Endpoints ofGateway(Gateway gateway) {
        var at = new TreeMap<>(management);
        at.put(SESSION_SERVICE, gateway.management());
        return new Endpoints(bootstrapServers, gateway.mtls(), gateway.token(), publishing, at, processes, pid);
    }

    /** With one more gateway to look after. */
    Endpoints with(Gateway gateway) {
        var at = new TreeMap<>(management);
        at.put(gateway.name(), gateway.management());
        return new Endpoints(bootstrapServers, mtls, token, publishing, at, processes, pid);
    }

    static int port(String endpoint) {
        return Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
    }

    static InetSocketAddress address(String endpoint) {
        return new InetSocketAddress(endpoint.substring(0, endpoint.lastIndexOf(':')), port(endpoint));
    }

    public InetSocketAddress mtlsAddress() {
        return address(mtls);
    }

    public InetSocketAddress tokenAddress() {
        return address(token);
    }

    void write(DataFolder data) throws IOException {
        Files.createDirectories(data.run());
        Path part = data.run().resolve("stack.json.part");
        Files.writeString(part, JSON.writeValueAsString(this) + "\n");
        Files.move(part, file(data), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    static void remove(DataFolder data) throws IOException {
        Files.deleteIfExists(file(data));
    }

    /** Empty where no stack runs in the folder, as far as its file tells. */
    public static Optional<Endpoints> find(DataFolder data) throws IOException {
        if (!Files.exists(file(data))) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(Files.readString(file(data)), Endpoints.class));
        } catch (JacksonException e) {
            throw new StackException(file(data) + " does not describe a stack: " + e.getOriginalMessage(), e);
        }
    }

    /** @throws StackException where no stack runs in the folder */
    public static Endpoints of(DataFolder data) throws IOException {
        return find(data)
                .orElseThrow(() -> new StackException("no stack runs in %s; start one with: ./sallyport up --data %s"
                        .formatted(data.root(), data.root())));
    }

    private static Path file(DataFolder data) {
        return data.run().resolve("stack.json");
    }
}
