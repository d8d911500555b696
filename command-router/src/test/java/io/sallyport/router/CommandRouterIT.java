package io.sallyport.router;

import static io.sallyport.router.core.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.NodeStats;
import io.sallyport.proto.log.v1.SessionState;
import io.sallyport.proto.log.v1.TargetState;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole service against a real broker. */
class CommandRouterIT {
    private static final String BROKER = TestBroker.shared().bootstrapServers();
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    static Path dir;

    private static ConfigurableApplicationContext router;
    private static TestFleet fleet;

    @BeforeAll
    static void start() {
        router = run("--sallyport.router.queue.repeat-after=1s");
        fleet = new TestFleet(BROKER);
        await().atMost(SOON).until(() -> health().contains("\"status\":\"UP\""));
    }

    @AfterAll
    static void stop() {
        fleet.close();
        router.close();
    }

    @Test
    void shouldPushToAConnectedSensorAndTellThatItIsAcknowledged() {
        var sensor = new SensorKey("acme", "it-live");
        long session = fleet.connect(sensor, 3);
        fleet.body("acme", "it-live-1", "hello");
        fleet.enter(sensor, entry("it-live-1", 1, MessageType.CONFIG_UPDATE));

        await().atMost(SOON).until(() -> !fleet.received(sensor).isEmpty());
        var push = fleet.received(sensor).get(0);
        assertThat(push.getSessionId()).isEqualTo(session);
        assertThat(push.getMessage().getPayload().toStringUtf8()).isEqualTo("hello");
        try (var status = new StatusReader(BROKER, Map.of("it-live-1", 1L))) {
            await().atMost(SOON).untilAsserted(() -> {
                status.read();
                assertThat(status.counts("it-live-1")).isEqualTo(Map.of(TargetState.ACKED, 1L));
                assertThat(status.targets("it-live-1")).isEqualTo(Map.of(TargetState.ACKED, 1L));
            });
        }
    }

    @Test
    void shouldKeepAMessageForASensorThatConnectsLater() {
        var sensor = new SensorKey("acme", "it-later");
        fleet.body("acme", "it-later-1", "hello");
        fleet.enter(sensor, entry("it-later-1", 1, MessageType.SENSOR_UPDATE));
        try (var status = new StatusReader(BROKER, Map.of("it-later-1", 1L))) {
            await().atMost(SOON).untilAsserted(() -> {
                status.read();
                assertThat(status.counts("it-later-1")).isEqualTo(Map.of(TargetState.PENDING, 1L));
            });
        }

        fleet.connect(sensor, 1);

        await().atMost(SOON).until(() -> fleet.receivedIds(sensor).contains("it-later-1"));
    }

    @Test
    void shouldWaitForABodyThatComesAfterItsEntry() {
        var sensor = new SensorKey("acme", "it-body");
        fleet.connect(sensor, 0);
        fleet.enter(sensor, entry("it-body-1", 1, MessageType.RESPONSE_ACTION));
        fleet.flush();
        fleet.body("acme", "it-body-1", "late");

        await().atMost(SOON).until(() -> fleet.receivedIds(sensor).contains("it-body-1"));
    }

    @Test
    void shouldNeverDeliverAnotherTenantsBody() {
        var acme = new SensorKey("acme", "it-tenant");
        var globex = new SensorKey("globex", "it-tenant");
        fleet.connect(acme, 0);
        fleet.connect(globex, 0);
        fleet.body("acme", "it-same", "for acme");
        fleet.enter(globex, entry("it-same", 1, MessageType.RESPONSE_ACTION));
        fleet.enter(acme, entry("it-same", 1, MessageType.RESPONSE_ACTION));
        await().atMost(SOON).until(() -> !fleet.received(acme).isEmpty());
        assertThat(fleet.received(globex)).isEmpty();

        fleet.body("globex", "it-same", "for globex");

        await().atMost(SOON).until(() -> !fleet.received(globex).isEmpty());
        assertThat(fleet.received(globex))
                .allMatch(push -> push.getMessage().getPayload().toStringUtf8().equals("for globex"));
        assertThat(fleet.received(acme))
                .allMatch(push -> push.getMessage().getPayload().toStringUtf8().equals("for acme"));
    }

    @Test
    void shouldDeliverToTheNewerSessionAfterALateDisconnect() {
        var sensor = new SensorKey("acme", "it-h13");
        long g1 = fleet.connect(sensor, 1);
        long g2 = fleet.connect(sensor, 2);
        fleet.directory(sensor, g1, SessionState.SESSION_DISCONNECTED);
        fleet.body("acme", "it-h13-1", "hello");
        fleet.enter(sensor, entry("it-h13-1", 1, MessageType.RESPONSE_ACTION));

        await().atMost(SOON).until(() -> !fleet.received(sensor).isEmpty());
        assertThat(fleet.received(sensor).get(0).getSessionId()).isEqualTo(g2);
        assertThat(router.getBean(MeterRegistry.class)
                        .counter("sallyport.stale.unregister")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void shouldRepeatAnUnansweredPushUntilItIsAnswered() {
        var sensor = new SensorKey("acme", "it-repeat");
        fleet.answering(push ->
                push.getSensorId().equals("it-repeat") && fleet.received(sensor).size() < 3
                        ? null
                        : io.sallyport.proto.log.v1.CommandOutcome.COMMAND_ACKED);
        fleet.connect(sensor, 1);
        fleet.body("acme", "it-repeat-1", "hello");
        fleet.enter(sensor, entry("it-repeat-1", 1, MessageType.RESPONSE_ACTION));

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(fleet.receivedIds(sensor))
                        .containsExactly("it-repeat-1", "it-repeat-1", "it-repeat-1"));
    }

    @Test
    void shouldTakeANewMessageTypeWithoutARestart() {
        var sensor = new SensorKey("acme", "it-type");
        fleet.connect(sensor, 1);
        fleet.body("acme", "it-type-1", "hello");
        fleet.type(MessageTypeSpec.newBuilder()
                .setNumber(41)
                .setName("DIAGNOSTICS")
                .setLane(1)
                .setEvictable(true)
                .build());
        fleet.enter(sensor, entry("it-type-1", 1, MessageType.CONFIG_UPDATE).setType(41));

        await().atMost(SOON).until(() -> fleet.receivedIds(sensor).contains("it-type-1"));
    }

    @Test
    void shouldNotPushToANodeThatGivesNoSignOfLife() {
        var sensor = new SensorKey("acme", "it-dead-node");
        long laterUs = (System.currentTimeMillis() + 3_600_000) * 1_000;
        // A node that started after the session began cannot hold it.
        fleet.node(NodeStats.newBuilder().setNode(7).setStartedAtUs(laterUs).build());
        fleet.connect(sensor, 7);
        fleet.body("acme", "it-dead-1", "hello");
        fleet.enter(sensor, entry("it-dead-1", 1, MessageType.RESPONSE_ACTION));
        try (var status = new StatusReader(BROKER, Map.of("it-dead-1", 1L))) {
            await().atMost(SOON).untilAsserted(() -> {
                status.read();
                assertThat(status.counts("it-dead-1")).isEqualTo(Map.of(TargetState.PENDING, 1L));
            });
        }

        fleet.node(NodeStats.newBuilder().setNode(7).build());

        await().atMost(SOON).until(() -> fleet.receivedIds(sensor).contains("it-dead-1"));
    }

    @Test
    void shouldRefuseABodyUnderTheKeyOfAnotherTenantsMessage() {
        var sensor = new SensorKey("acme", "it-forged");
        fleet.connect(sensor, 1);
        fleet.body("acme", "it-forged-1", "globex", "not for acme");
        fleet.enter(sensor, entry("it-forged-1", 1, MessageType.RESPONSE_ACTION));
        var alerts = router.getBean(MeterRegistry.class).counter("sallyport.alerts", "kind", "FORGED_IDENTITY");
        await().atMost(SOON).until(() -> alerts.count() == 1);

        fleet.body("acme", "it-forged-1", "for acme");

        await().atMost(SOON).until(() -> !fleet.received(sensor).isEmpty());
        assertThat(fleet.received(sensor).get(0).getMessage().getPayload().toStringUtf8())
                .isEqualTo("for acme");
    }

    @Test
    void shouldServeMetricsWithoutNamingSensors() throws Exception {
        var sensor = new SensorKey("acme", "it-metrics");
        fleet.connect(sensor, 1);
        fleet.body("acme", "it-metrics-1", "hello");
        fleet.enter(sensor, entry("it-metrics-1", 1, MessageType.RESPONSE_ACTION));
        await().atMost(SOON).until(() -> !fleet.received(sensor).isEmpty());

        String metrics = get("/actuator/prometheus");

        assertThat(metrics)
                .contains("sallyport_command_pushes_total")
                .contains("sallyport_command_queue_depth")
                .contains("sallyport_command_push_delay_seconds")
                .doesNotContain("it-metrics");
    }

    @Test
    void shouldNotStartOnAnUnknownKey() {
        assertThatThrownBy(() -> run("--sallyport.router.no-such-key=1").close())
                .hasStackTraceContaining("no-such-key");
    }

    private static ConfigurableApplicationContext run(String... settings) {
        var arguments = new java.util.ArrayList<>(java.util.List.of(
                "--spring.config.name=command-router",
                "--server.port=0",
                "--sallyport.router.bootstrap-servers=" + BROKER,
                "--sallyport.router.state-dir=" + dir.resolve("state")));
        arguments.addAll(java.util.List.of(settings));
        return new SpringApplicationBuilder(CommandRouterApplication.class).run(arguments.toArray(String[]::new));
    }

    private static String health() throws Exception {
        return get("/actuator/health/readiness");
    }

    private static String get(String path) throws Exception {
        int port = ((WebServerApplicationContext) router).getWebServer().getPort();
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
