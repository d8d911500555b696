package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The images and the compose file in an engine, where there is one: builds the images from this build's jars, brings a
 * cell up, sends events through it while a gateway is killed, and takes it down with its volumes. It publishes no port and
 * has a project of its own, so a stack that runs already is not touched.
 */
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class ComposeStackIT {
    private static final String PROJECT =
            "sallyport-it-" + ProcessHandle.current().pid();
    private static final Duration SHORT = Duration.ofMinutes(3);
    private static final Duration BUILD = Duration.ofMinutes(20);
    private static final Duration UP = Duration.ofMinutes(10);
    private static final int SENSORS = 8;
    private static final int EVENTS = 8_000;

    @TempDir
    static Path folder;

    private static DockerEngine docker;
    private static Path withoutPorts;

    @BeforeAll
    static void start() throws IOException {
        docker = new DockerEngine(folder, Map.of("JARS", "prebuilt", "EXPORT_BUCKET", ""));
        String missing = docker.missing();
        assumeTrue(missing.isEmpty(), missing + ": images and compose file are not tried");
        List<String> unbuilt = Repository.SERVICES.stream()
                .filter(service ->
                        Repository.files(service + "/target", "-exec.jar").isEmpty())
                .toList();
        assumeTrue(unbuilt.isEmpty(), "mvn package has not made the jars of " + unbuilt + ": images are not tried");
        withoutPorts = Files.writeString(folder.resolve("no-ports.yml"), portsReset());
        compose(BUILD, "build");
        // Named, since some versions of Compose take a job that has ended for a service that does not run.
        compose(
                UP,
                "up",
                "--detach",
                "--wait",
                "gateway-0",
                "gateway-1",
                "normalizer",
                "command-router",
                "fanout",
                "cold-export");
    }

    @AfterAll
    static void stop() {
        if (withoutPorts != null) {
            compose(UP, "down", "--volumes", "--timeout", "5");
        }
    }

    private static String portsReset() {
        var text = new StringBuilder("services:\n");
        ComposeFile.services().forEach((name, service) -> {
            if (!service.at("ports").texts().isEmpty()) {
                text.append("  %s:%n    ports: !reset []%n".formatted(name));
            }
        });
        return text.toString();
    }

    private static String compose(Duration within, String... arguments) {
        var command = new ArrayList<>(List.of("compose", "--project-name", PROJECT, "--file", "docker-compose.yml"));
        command.addAll(List.of("--file", withoutPorts.toString(), "--profile", "core"));
        command.addAll(List.of(arguments));
        return docker.must(within, command);
    }

    private static String inside(String service, String... command) {
        return compose(
                SHORT,
                Stream.concat(Stream.of("exec", "-T", service), Stream.of(command))
                        .toArray(String[]::new));
    }

    private static String cli(String... command) {
        return compose(
                SHORT,
                Stream.concat(Stream.of("run", "--rm", "-T", "cli"), Stream.of(command))
                        .toArray(String[]::new));
    }

    /** The records of acme in a topic. */
    private static List<JsonObject> read(String topic) {
        return cli("read", topic, "--customer", "acme", "--from", "beginning", "--timeout", "5")
                .lines()
                .filter(line -> line.startsWith("{"))
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
    }

    @Test
    void shouldCarryEveryEventOnceAlthoughAGatewayIsKilled() throws Exception {
        var fleet = new Thread(
                () -> compose(
                        UP,
                        "run",
                        "--rm",
                        "--no-deps",
                        "--name",
                        PROJECT + "-fleet",
                        "fleet-acme",
                        "sim",
                        "--data",
                        "/data",
                        "--gateway",
                        "gateway:7443",
                        "--auth",
                        "mtls",
                        "--customer",
                        "acme",
                        "--sensors",
                        Integer.toString(SENSORS),
                        "--events",
                        Integer.toString(EVENTS),
                        // All of them are read back at once.
                        "--size",
                        "2048",
                        "--rate",
                        "400"),
                "fleet");
        var failure = new AtomicReference<Throwable>();
        fleet.setUncaughtExceptionHandler((dead, cause) -> failure.set(cause));
        fleet.start();
        await().atMost(SHORT)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> !read("structured").isEmpty() || failure.get() != null);
        compose(SHORT, "kill", "--signal", "KILL", "gateway-0");
        // Its exit code is that of the fleet: 0 only where every event was acknowledged.
        fleet.join(UP.toMillis());

        assertThat(failure.get()).isNull();
        assertThat(fleet.isAlive()).isFalse();
        await().atMost(SHORT).pollInterval(Duration.ofSeconds(2)).untilAsserted(() -> {
            List<JsonObject> rows = read("structured");
            var identities = new HashSet<String>();
            rows.forEach(row -> identities.add(row.get("sensor_id") + "/" + row.get("epoch") + "/" + row.get("seq")));
            assertThat(identities).hasSize(EVENTS);
            assertThat(rows).as("each identity once").hasSize(EVENTS);
        });
        assertThat(read("coverage")).isEmpty();
        shouldProveTheWholeCell();
    }

    /** The log and the exported files against a checkpoint, over however many shards the cell has. */
    private static void shouldProveTheWholeCell() {
        assertThat(cli("export", "--now")).contains("exported");
        assertThat(cli("checkpoint", "--out", "/kept/pin")).contains("checkpoint over");
        assertThat(cli("verify", "--from-log", "--pin", "/kept/pin")).startsWith("verified");
        assertThat(cli("verify", "--from-export", "--pin", "/kept/pin")).startsWith("verified");
    }

    @Test
    void shouldKeepThePolicyOfTheImages() {
        for (String service : List.of("gateway-1", "normalizer", "command-router", "fanout", "cold-export")) {
            assertThat(inside(service, "id", "-u").strip()).as(service).isEqualTo("10001");
            assertThat(inside(service, "sh", "-c", "touch /app/x 2>/dev/null || echo refused"))
                    .as(service)
                    .contains("refused");
            // An archive that does not fit is not mapped, and the service starts without it.
            assertThat(inside(service, "grep", "-c", "/app/app.aot", "/proc/1/maps")
                            .strip())
                    .as("the cache of %s", service)
                    .isNotEqualTo("0");
        }
        for (String image : Repository.SERVICES) {
            assertThat(docker.must(
                            SHORT,
                            List.of(
                                    "image",
                                    "inspect",
                                    "--format",
                                    "{{index .Config.Labels \"org.opencontainers.image.title\"}} {{.Config.User}}"
                                            + " {{.Config.Healthcheck.Test}}",
                                    "sallyport/" + image + ":0.1.0")))
                    .startsWith(image + " 10001:10001 [CMD healthcheck]");
        }
    }
}
