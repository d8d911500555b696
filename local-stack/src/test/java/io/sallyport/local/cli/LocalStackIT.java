package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.DemoFleet;
import io.sallyport.local.stack.EmbeddedStack;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.Stack;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackLogs;
import io.sallyport.local.stack.StackSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
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

    private void assertReady() {
        Invocation status = command("status", "--json");
        assertThat(status.exit()).as(status.out()).isZero();
        assertThat(status.json().get("ready").asBoolean()).isTrue();
        assertThat(status.json().get("parts")).hasSize(5);
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
        }
    }

    private Invocation command(String... args) {
        var all = new String[args.length + 2];
        System.arraycopy(args, 0, all, 0, args.length);
        all[args.length] = "--data";
        all[args.length + 1] = dir.toString();
        return Invocation.of(all);
    }
}
