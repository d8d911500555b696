package io.sallyport.e2e.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.DemoFleet;
import io.sallyport.local.stack.EmbeddedStack;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.StackSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the worked examples of the README line by line, as somebody who copies them would. */
class ReadmeExampleIT {
    private static final Pattern EXAMPLE =
            Pattern.compile("<!-- A test runs the lines of this block\\. -->\\n```bash\\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path dir;

    @Test
    void shouldDoWhatTheReadmeSays() throws Exception {
        Path home = RecordedEvents.checkout();
        Matcher example = EXAMPLE.matcher(Files.readString(home.resolve("README.md")));
        assertThat(example.find()).as("the README has a worked example").isTrue();
        try (var stack = EmbeddedStack.start(StackSettings.onFreePorts(dir));
                var fleet = DemoFleet.start(stack.endpoints(), new DataFolder(dir), new DemoFleet.Load(4, 4, 100))) {
            assertThat(fleet.awaitConnected(Duration.ofMinutes(1))).isTrue();
            String output = run(home, "set -eu\n" + example.group(1), stack.endpoints());
            assertThat(output)
                    .contains("accepted in epoch 1")
                    .contains("acknowledged up to 3")
                    .contains("\"seq\":\"3\"")
                    .contains("event acme/my-first epoch 1 seq 1 type 4: {\"image\":\"/usr/bin/example\",\"pid\":1001}")
                    .containsPattern("finding acme/my-first/1-1: \\d 0 \\d+ /usr/bin/example")
                    .contains("finding acme/my-first/1-3: ")
                    .contains("Processed a total of 3 messages");
            assertThat(example.find()).as("the README publishes").isTrue();
            String commands = run(home, "set -eu\n" + example.group(1), stack.endpoints());
            assertThat(commands)
                    .contains("fleet-1                  connected")
                    .contains("accepted acme/policy-9: revision 0, 1 sensor(s)")
                    .contains("fleet-0                  acked      pushes 1")
                    .contains("--preview-token ")
                    .containsPattern("accepted acme/isolate-1: revision \\d+, [23] sensor\\(s\\)")
                    .contains("(cancelled)");
        }
    }

    private String run(Path home, String script, Endpoints endpoints) throws IOException, InterruptedException {
        Path output = dir.resolve("example.out");
        var bash = new ProcessBuilder("bash", "-c", script)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        bash.environment().put("SALLYPORT_DATA", dir.toString());
        bash.environment().put("SALLYPORT_TOKEN_PORT", port(endpoints.token()));
        bash.environment().put("SALLYPORT_KAFKA_PORT", port(endpoints.bootstrapServers()));
        Process process = bash.start();
        boolean ended = process.waitFor(5, TimeUnit.MINUTES);
        if (!ended) {
            process.destroyForcibly();
        }
        String printed = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended && process.exitValue() == 0).as(printed).isTrue();
        return printed;
    }

    private static String port(String endpoint) {
        return endpoint.substring(endpoint.lastIndexOf(':') + 1);
    }
}
