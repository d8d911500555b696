package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The images' health check against an endpoint that is ready, not ready, or not there. */
class HealthcheckTest {
    @SuppressWarnings("NullAway.Init")
    private HttpServer service;

    private volatile int status;

    @BeforeEach
    void listen() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> {
            boolean readiness = exchange.getRequestURI().getPath().equals("/actuator/health/readiness");
            exchange.sendResponseHeaders(readiness ? status : 404, -1);
            exchange.close();
        });
        service.start();
    }

    @AfterEach
    void close() {
        service.stop(0);
    }

    @Test
    void shouldPassAServiceThatIsReady() {
        status = 200;

        assertThat(check(service.getAddress().getPort())).isZero();
    }

    @Test
    void shouldFailAServiceThatIsNotReady() {
        status = 503;

        assertThat(check(service.getAddress().getPort())).isNotZero();
    }

    @Test
    void shouldFailWhereNothingListens() throws IOException {
        int free;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }

        assertThat(check(free)).isNotZero();
    }

    private static int check(int port) {
        return Manifests.Tool.run(List.of(
                        "env",
                        "HEALTH_PORT=" + port,
                        Repository.path("docker/healthcheck").toString()))
                .exit();
    }
}
