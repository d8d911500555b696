package io.sallyport.session.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sallyport.session.core.CustomerStanding;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A registry on a real socket, and a clock that the test moves. */
class HttpCustomersTest {
    private final Map<String, Integer> status = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final AtomicLong nanos = new AtomicLong(1);
    private HttpServer server;
    private HttpCustomers customers;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/customers/", exchange -> {
            String id = exchange.getRequestURI().getPath().substring("/customers/".length());
            asked.add(id);
            exchange.sendResponseHeaders(status.getOrDefault(id, 404), -1);
            exchange.close();
        });
        server.start();
        customers = new HttpCustomers(
                new HttpCustomers.Settings(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/customers"),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(20),
                        100),
                nanos::get);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void later(int seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private void awaitStanding(String customer, CustomerStanding standing) {
        Awaitility.await().until(() -> customers.standing(customer) == standing);
    }

    @Test
    void shouldKnowNothingBeforeTheFirstAnswerAndAskOnce() {
        status.put("acme", 200);
        assertThat(customers.standing("acme")).isEqualTo(CustomerStanding.UNDECIDED);
        awaitStanding("acme", CustomerStanding.ACTIVE);
        awaitStanding("nobody", CustomerStanding.INACTIVE);
        for (int i = 0; i < 100; i++) {
            customers.standing("acme");
        }
        assertThat(asked).containsOnlyOnce("acme");
    }

    @Test
    void shouldSeeASuspensionAndItsEnd() {
        status.put("acme", 200);
        awaitStanding("acme", CustomerStanding.ACTIVE);
        status.put("acme", 403);
        later(5);
        awaitStanding("acme", CustomerStanding.INACTIVE);
        status.put("acme", 200);
        later(5);
        awaitStanding("acme", CustomerStanding.ACTIVE);
    }

    @Test
    void shouldServeWhatItKnewWhileTheRegistryFailsAndStopAsking() {
        status.put("acme", 200);
        awaitStanding("acme", CustomerStanding.ACTIVE);
        status.put("acme", 503);
        later(3_600);
        int before = asked.size();
        // The breaker opens after some failures; from then on nobody is asked.
        Awaitility.await().until(() -> {
            assertThat(customers.standing("acme")).isEqualTo(CustomerStanding.ACTIVE);
            return asked.size() - before >= 4;
        });
        Awaitility.await()
                .during(Duration.ofMillis(500))
                .atMost(Duration.ofSeconds(30))
                .until(() -> {
                    assertThat(customers.standing("acme")).isEqualTo(CustomerStanding.ACTIVE);
                    assertThat(customers.standing("initech")).isEqualTo(CustomerStanding.UNDECIDED);
                    return asked.size() - before <= 10;
                });
    }

    @Test
    void shouldNotLetMadeUpNamesPushCustomersOut() {
        status.put("acme", 200);
        awaitStanding("acme", CustomerStanding.ACTIVE);
        for (int i = 0; i < 300; i++) {
            customers.standing("made-up-" + i);
        }
        Awaitility.await().until(() -> asked.size() > 300);
        assertThat(customers.standing("acme")).isEqualTo(CustomerStanding.ACTIVE);
    }
}
