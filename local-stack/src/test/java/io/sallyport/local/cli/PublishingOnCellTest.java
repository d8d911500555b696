package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that publish, against the REST edge of a cell that is no local stack. */
class PublishingOnCellTest {
    @TempDir
    private Path dir;

    @Test
    void shouldAskTheCellWithTheGivenToken() throws Exception {
        var asked = new CopyOnWriteArrayList<String>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(
                    exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath() + " "
                            + exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] answer = "{\"sensors\":[],\"next_page_token\":\"\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        try {
            Path token = Files.writeString(dir.resolve("token"), "header.claims.signature\n");
            String api = "http://127.0.0.1:" + server.getAddress().getPort();
            List<String> cell = List.of("--api", api, "--token-file", token.toString());

            Invocation sensors = onCell(cell, "sensors", "--customer", "acme", "--json");
            assertThat(sensors.exit()).as(sensors.err()).isZero();
            assertThat(sensors.json().get("count").asInt()).isZero();
            assertThat(asked).containsExactly("GET /v1/sensors Bearer header.claims.signature");
            assertThat(onCell(cell, "sensors").err()).contains("--customer is needed");
        } finally {
            server.stop(0);
        }
        assertThat(onCell(List.of("--api", "http://127.0.0.1:1"), "sensors").err())
                .contains("--api and --token-file belong together");
    }

    private Invocation onCell(List<String> cell, String... args) {
        var all = new ArrayList<>(List.of(args));
        all.addAll(cell);
        all.addAll(List.of("--data", dir.resolve("nothing").toString()));
        return Invocation.of(all.toArray(String[]::new));
    }
}
