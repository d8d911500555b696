package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.stack.Endpoints;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code export} makes of the answer of a cold-export. */
class ExportCommandTest {
    @TempDir
    Path data;

    private HttpServer service;
    private String answer = "";

    @BeforeEach
    void aStackThatHasSignedNothing() throws Exception {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/actuator/export", exchange -> {
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        service.start();
        String at = "127.0.0.1:" + service.getAddress().getPort();
        CredentialFolder.openOrCreate(data.resolve("credentials"), Instant.now());
        Files.createDirectories(data.resolve("run"));
        String management = Endpoints.SERVICES.stream()
                .map(name -> "\"%s\":\"%s\"".formatted(name, at))
                .collect(Collectors.joining(","));
        Files.writeString(data.resolve("run/stack.json"), """
            {"bootstrap_servers":"%1$s","mtls":"%1$s","token":"%1$s","publishing":{"rest":"%1$s","grpc":"%1$s"},
            "management":{%2$s},"processes":false,"pid":1}\
            """.formatted(at, management));
    }

    @AfterEach
    void stop() {
        service.stop(0);
    }

    private Invocation export(String... more) {
        var args = new java.util.ArrayList<>(java.util.List.of("export", "--data", data.toString()));
        args.addAll(java.util.List.of(more));
        return Invocation.of(args.toArray(String[]::new));
    }

    @Test
    void shouldCountWhatNoCheckpointCovers() {
        answer = "{\"shards\":8,\"versions\":2,\"rows\":70,\"unfinished\":0,\"waiting\":3}";
        Invocation plain = export();
        assertThat(plain.exit()).as(plain.err()).isZero();
        assertThat(plain.out())
                .contains("exported: 70 rows in 2 versions of 8 shards")
                .contains("not covered by a checkpoint yet: 3 rows");
        assertThat(export("--json").json().path("uncovered").asLong()).isEqualTo(3);
    }

    @Test
    void shouldFailWhereAShardCouldNotBeExported() {
        answer = "{\"shards\":8,\"versions\":2,\"rows\":70,\"unfinished\":2,\"waiting\":0}";
        for (Invocation failed : java.util.List.of(export(), export("--now"), export("--json"))) {
            assertThat(failed.exit()).isEqualTo(1);
            assertThat(failed.err()).contains("2 shards could not be exported");
        }
    }
}
