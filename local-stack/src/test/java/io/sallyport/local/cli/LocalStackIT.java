package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.DemoFleet;
import io.sallyport.local.stack.EmbeddedStack;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.MetricsPage;
import io.sallyport.local.stack.Stack;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackLogs;
import io.sallyport.local.stack.StackSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The whole stack in this JVM, as somebody at a terminal meets it. */
class LocalStackIT {
    private static final int EVENTS = 60;

    @TempDir
    private Path dir;

    @BeforeAll
    static void logNowhere() {
        StackLogs.toTerminal(false);
    }

    @Test
    void shouldServeAndContinueAfterARestartWithoutAMarker() throws Exception {
        try (Stack stack = EmbeddedStack.start(StackSettings.onFreePorts(dir))) {
            assertReady();
            assertEachServiceIsWhatItIsInItsOwnJar(stack.endpoints());
            assertFolderIsTaken();
            assertThat(send("mtls", stack.endpoints().mtls())
                            .get("events_acked")
                            .asInt())
                    .isEqualTo(EVENTS);
            assertStructured(EVENTS);
            assertControlDataIsWritten();
        }
        assertThat(Endpoints.find(new DataFolder(dir))).isEmpty();
        assertThat(command("status").exit()).isEqualTo(1);

        try (Stack stack = EmbeddedStack.start(StackSettings.onFreePorts(dir))) {
            assertReady();
            assertThat(send("token", stack.endpoints().token())
                            .get("events_acked")
                            .asInt())
                    .isEqualTo(EVENTS);
            assertStructured(2 * EVENTS);
            assertDemoFleetConnects(stack);
            assertThat(command("read", "coverage", "--timeout", "1").lines()).isEmpty();
        }
    }

    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");
    /** Their values are constants of the program, of the topics or of the registry, or customers up to a bound. */
    private static final Set<String> OUR_LABELS = Set.of(
            "code",
            "kind",
            "customer",
            "partition",
            "shard",
            "topic",
            "outcome",
            "standing",
            "reason",
            "note",
            "state",
            "type",
            "path",
            "edge",
            "group",
            "service",
            "le",
            "quantile");

    private void assertReady() {
        Invocation status = command("status", "--json");
        assertThat(status.exit()).as(status.out()).isZero();
        assertThat(status.json().get("ready").asBoolean()).isTrue();
        assertThat(status.json().get("parts")).hasSize(10);
    }

    /** Publishing's security and API description do not reach the services that share its class path. */
    private static void assertEachServiceIsWhatItIsInItsOwnJar(Endpoints endpoints) throws Exception {
        for (String service : Endpoints.SERVICES) {
            String at = endpoints.management(service);
            assertThat(status(at, "/actuator/prometheus")).as(service).isEqualTo(200);
            assertThat(status(at, "/v3/api-docs")).as(service).isEqualTo(404);
        }
        assertThat(status(endpoints.publishing().rest(), "/v3/api-docs")).isEqualTo(200);
        assertThat(status(endpoints.publishing().rest(), "/v1/sensors")).isEqualTo(401);
    }

    private static int status(String endpoint, String path) throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create("http://" + endpoint + path)).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private void assertFolderIsTaken() {
        assertThatThrownBy(() -> EmbeddedStack.start(StackSettings.onFreePorts(dir)))
                .isInstanceOf(StackException.class)
                .hasMessageContaining("already runs");
        assertReady();
    }

    /** Three sensors, the same ones at each call. */
    private JsonNode send(String auth, String gateway) throws Exception {
        Path report = dir.resolve("report.json");
        Invocation sim = command(
                "sim",
                "--gateway",
                gateway,
                "--customer",
                "acme",
                "--sensors",
                "3",
                "--events",
                Integer.toString(EVENTS),
                "--size",
                "300",
                "--codec",
                auth.equals("mtls") ? "zstd" : "none",
                "--report",
                report.toString());
        assertThat(sim.exit()).as(sim.err()).isZero();
        JsonNode written = Action.JSON.readTree(Files.readString(report));
        assertThat(written.propertyNames())
                .contains(
                        "events_sent",
                        "events_acked",
                        "batches",
                        "bytes",
                        "seconds",
                        "reconnects",
                        "skipped",
                        "ack_latency_ms");
        return written;
    }

    private void assertStructured(int events) {
        Invocation read = command(
                "read", "structured", "--customer", "acme", "--max", Integer.toString(events), "--timeout", "20");
        assertThat(read.exit()).as(read.err()).isZero();
        List<JsonNode> lines = read.lines();
        assertThat(lines.size()).isEqualTo(events);
        assertThat(lines.stream().map(line -> line.get("kind").asString())).containsOnly("event");
        assertThat(lines.stream().map(line -> line.get("customer_id").asString()))
                .containsOnly("acme");
        var identities = new HashSet<String>();
        lines.forEach(line -> identities.add(line.get("sensor_id").asString() + "/"
                + line.get("epoch").asString() + "/" + line.get("seq").asString()));
        assertThat(identities).hasSize(events);
        assertThat(command("read", "structured", "--customer", "acme", "--timeout", "1")
                        .lines()
                        .size())
                .isEqualTo(events);
    }

    private void assertControlDataIsWritten() {
        assertThat(command("event-type", "add", "RegistryValueSet", "--json")
                        .json()
                        .get("number")
                        .asInt())
                .isEqualTo(12);
        assertThat(command("event-type", "add", "RegistryValueSet", "--json")
                        .json()
                        .get("number")
                        .asInt())
                .isEqualTo(12);
        assertThat(command("event-type", "add", "Other", "--number", "12").exit())
                .isEqualTo(2);
        assertThat(command("customer", "add", "initech").exit()).isZero();
        assertThat(command("read", "customers", "--timeout", "1").out()).contains("initech");
        Invocation later = command("read", "customers", "--from", "2999-01-01T00:00:00Z", "--timeout", "1");
        assertThat(later.out()).isEmpty();
        assertThat(later.err()).startsWith("sallyport: 2999-01-01T00:00:00Z has not come yet");
        assertThat(command("read", "unheard-of", "--timeout", "1").exit()).isEqualTo(2);
    }

    private void assertDemoFleetConnects(Stack stack) throws Exception {
        var load = new DemoFleet.Load(3, 50, 100);
        try (var fleet = DemoFleet.start(stack.endpoints(), new DataFolder(dir), load)) {
            assertThat(fleet.awaitConnected(Duration.ofSeconds(30)))
                    .as(fleet.failure().toString())
                    .isTrue();
            assertThat(command("read", "structured", "--customer", "globex", "--max", "5", "--timeout", "20")
                            .lines())
                    .hasSize(5);
            assertCommandsReachSensors(fleet);
            assertNoMetricNamesASensorOrAMessage(stack.endpoints());
        }
    }

    /** After telemetry and commands of a few sensors: what labels there are, on the pages of all services. */
    private static void assertNoMetricNamesASensorOrAMessage(Endpoints endpoints) throws Exception {
        for (String service : Endpoints.SERVICES) {
            MetricsPage page = MetricsPage.of(HttpClient.newHttpClient(), endpoints.management(service));
            var keys = new TreeSet<String>();
            Matcher label = LABEL.matcher(page.text());
            while (label.find()) {
                assertThat(label.group(2))
                        .as("%s %s", service, label.group())
                        .doesNotMatch("(fleet|acme|sim)-\\d+|[ac]-1");
            }
            page.text()
                    .lines()
                    .filter(line -> line.startsWith("sallyport_"))
                    .forEach(line -> LABEL.matcher(line).results().forEach(of -> keys.add(of.group(1))));
            assertThat(keys).as(service).isNotEmpty().isSubsetOf(OUR_LABELS);
        }
    }

    private void assertCommandsReachSensors(DemoFleet fleet) {
        Invocation known = command("sensors", "--customer", "acme", "--selector", "connected = true", "--json");
        assertThat(known.exit()).as(known.err()).isZero();
        assertThat(known.json().get("count").asInt()).isEqualTo(2);
        assertThat(command("sensors").out()).contains("fleet-0").contains("globex");

        String[] config = {
            "publish",
            "--customer",
            "acme",
            "--sensor",
            "fleet-0",
            "--type",
            "CONFIG_UPDATE",
            "--msg-id",
            "c-1",
            "--json"
        };
        Invocation published = command(with(config, "--payload", "{}"));
        assertThat(published.exit()).as(published.err()).isZero();
        assertThat(published.json().get("outcome").asString()).isEqualTo("ACCEPTED");
        assertThat(command(with(config, "--payload", "{}"))
                        .json()
                        .get("outcome")
                        .asString())
                .isEqualTo("SAME");
        Invocation conflict = command(with(config, "--payload", "other"));
        assertThat(conflict.exit()).isEqualTo(1);
        assertThat(conflict.err()).startsWith("sallyport: MSG_ID_CONFLICT: ");
        awaitAcked("c-1", 1);
        JsonNode message = command("message", "c-1", "--customer", "acme", "--targets", "--json")
                .json();
        assertThat(message.propertyNames()).contains("resolved").containsAll(Publishing.STATES);
        assertThat(message.get("targets").get(0).get("sensor_id").asString()).isEqualTo("fleet-0");
        assertThat(message.get("targets").get(0).get("state").asString()).isEqualTo("acked");
        assertThat(command("read", "target-status", "--customer", "acme", "--max", "1", "--timeout", "20")
                        .out())
                .contains("\"sensor_id\":\"fleet-0\"");

        assertPublishesToASegmentThatWasPreviewed();
        assertThat(fleet.connected()).isEqualTo(3);
    }

    private void assertPublishesToASegmentThatWasPreviewed() {
        assertThat(command("segment", "put", "ring", "--customer", "acme", "--members", "fleet-0,fleet-1")
                        .exit())
                .isZero();
        assertThat(command("segment", "get", "ring", "--customer", "acme").out())
                .contains("2 sensor(s)", "fleet-1");
        String[] action = {"publish", "--customer", "acme", "--segment", "ring", "--json"};
        JsonNode preview = command(with(action, "--preview")).json();
        assertThat(preview.get("count").asInt()).isEqualTo(2);
        Invocation published = command(with(
                action,
                "--type",
                "RESPONSE_ACTION",
                "--payload",
                "isolate",
                "--msg-id",
                "a-1",
                "--preview-token",
                preview.get("preview_token").asString()));
        assertThat(published.exit()).as(published.err()).isZero();
        awaitAcked("a-1", 2);
        assertThat(command("message", "cancel", "a-1", "--customer", "acme", "--json")
                        .json()
                        .get("cancel_requested")
                        .asBoolean())
                .isTrue();
        assertThat(command("segment", "delete", "ring", "--customer", "acme").exit())
                .isZero();
        assertThat(command("segment", "get", "ring", "--customer", "acme").err())
                .startsWith("sallyport: SEGMENT_NOT_FOUND: ");
    }

    private void awaitAcked(String msgId, int sensors) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(command("message", msgId, "--customer", "acme", "--json")
                                .json()
                                .get("acked")
                                .asInt())
                        .isEqualTo(sensors));
    }

    private static String[] with(String[] first, String... more) {
        return Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new);
    }

    private Invocation command(String... args) {
        var all = new String[args.length + 2];
        System.arraycopy(args, 0, all, 0, args.length);
        all[args.length] = "--data";
        all[args.length + 1] = dir.toString();
        return Invocation.of(all);
    }
}
