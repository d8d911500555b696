package io.sallyport.local.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EndpointsTest {
    @TempDir
    private Path dir;

    @Test
    void shouldComeBackFromItsFileAsItWas() throws Exception {
        var data = new DataFolder(dir);
        Endpoints endpoints = StackPorts.FREE.resolve(true);
        endpoints.write(data);
        assertThat(Endpoints.of(data)).isEqualTo(endpoints);
        Endpoints.remove(data);
        assertThat(Endpoints.find(data)).isEqualTo(Optional.empty());
    }

    @Test
    void shouldHaveTheFieldsThatScriptsRead() throws Exception {
        var endpoints = new Endpoints(
                "127.0.0.1:1",
                "127.0.0.1:2",
                "127.0.0.1:3",
                new Endpoints.Publishing("127.0.0.1:4", "127.0.0.1:5"),
                Map.of(
                        "session-service", "127.0.0.1:6",
                        "normalizer-service", "127.0.0.1:7",
                        "command-router", "127.0.0.1:8",
                        "fanout-service", "127.0.0.1:9",
                        "cold-export", "127.0.0.1:11"),
                false,
                10);
        endpoints.write(new DataFolder(dir));
        assertThat(Files.readString(dir.resolve("run/stack.json")))
                .contains("\"bootstrap_servers\" : \"127.0.0.1:1\"")
                .contains("\"mtls\" : \"127.0.0.1:2\"")
                .contains("\"token\" : \"127.0.0.1:3\"")
                .contains("\"rest\" : \"127.0.0.1:4\"")
                .contains("\"grpc\" : \"127.0.0.1:5\"")
                .contains("\"session-service\" : \"127.0.0.1:6\"")
                .contains("\"processes\" : false")
                .contains("\"pid\" : 10");
    }

    @Test
    void shouldSayHowToStartAStackWhereNoneRuns() {
        assertThatThrownBy(() -> Endpoints.of(new DataFolder(dir)))
                .isInstanceOf(StackException.class)
                .hasMessageContaining("no stack runs in " + dir)
                .hasMessageContaining("./sallyport up --data");
    }

    @Test
    void shouldNameAFileThatDescribesNoStack() throws Exception {
        Files.createDirectories(dir.resolve("run"));
        Files.writeString(dir.resolve("run/stack.json"), "{\"mtls\":");
        assertThatThrownBy(() -> Endpoints.of(new DataFolder(dir)))
                .isInstanceOf(StackException.class)
                .hasMessageContaining("stack.json");
    }

    @Test
    void shouldGiveEveryListenerAPortOfItsOwn() throws Exception {
        Endpoints endpoints = StackPorts.FREE.resolve(false);
        var ports = new HashSet<>(Set.of(
                endpoints.bootstrapServers(),
                endpoints.mtls(),
                endpoints.token(),
                endpoints.publishing().rest(),
                endpoints.publishing().grpc()));
        ports.addAll(endpoints.management().values());
        assertThat(ports).hasSize(5 + Endpoints.SERVICES.size());
        assertThat(endpoints.pid()).isEqualTo(ProcessHandle.current().pid());
    }

    @Test
    void shouldNameThePortThatIsTakenAndItsFlag() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            var ports = new StackPorts(0, taken.getLocalPort(), 0, 0, 0, 0);
            assertThatThrownBy(() -> ports.resolve(false))
                    .isInstanceOf(StackException.class)
                    .hasMessageContaining("port " + taken.getLocalPort() + " (mtls) is in use")
                    .hasMessageContaining("--mtls-port");
        }
    }

    @Test
    void shouldLetOneStackHaveAFolder() throws Exception {
        var data = new DataFolder(dir);
        try (StackLock held = StackLock.take(data)) {
            assertThat(held).isNotNull();
            assertThatThrownBy(() -> StackLock.take(data))
                    .isInstanceOf(StackException.class)
                    .hasMessageContaining("already runs in " + dir);
        }
        StackLock.take(data).close();
    }
}
