package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

class DockerfileTest {
    private final List<String> lines = Repository.text("Dockerfile").lines().toList();

    @Test
    void shouldNeedNoFrontEndThatIsPulled() {
        assertThat(lines).noneMatch(line -> line.startsWith("# syntax"));
    }

    @Test
    void shouldPinItsBases() {
        assertThat(lines)
                .filteredOn(line -> line.startsWith("FROM") || line.startsWith("ARG JRE"))
                .isNotEmpty()
                .noneMatch(line -> line.contains(":latest"));
        assertThat(lines).contains("ARG JRE=eclipse-temurin:25-jre");
    }

    @Test
    void shouldEndEveryImageAsAUserWithANumber() {
        for (String stage : List.of("tools", "service")) {
            int from = lines.indexOf("FROM base AS " + stage);
            List<String> rest = lines.subList(from + 1, lines.size());
            int next = (int)
                    rest.stream().takeWhile(line -> !line.startsWith("FROM")).count();

            assertThat(rest.subList(0, next)).as(stage).contains("USER 10001:10001");
        }
    }

    /** A new volume takes its owner from the image; a mount point that is not there would be root's. */
    @Test
    void shouldHaveAMountPointForEveryVolumeThatIsWritten() {
        String installed = lines.stream()
                .filter(line ->
                        line.contains("install -d") || line.stripLeading().startsWith("/credentials"))
                .reduce("", (all, line) -> all + " " + line.strip() + " ");

        ComposeFile.services().forEach((name, service) -> {
            if (service.at("image").text().startsWith("sallyport/")) {
                service.at("volumes").texts().stream()
                        .filter(mount -> !mount.endsWith(":ro"))
                        .map(mount -> mount.substring(mount.indexOf(':') + 1))
                        .forEach(place -> assertThat(installed).as(name).contains(" " + place + " "));
            }
        });
    }

    @Test
    void shouldTrainAndRunWithTheSameCollector() {
        // The flags come from the environment of the stage below both, and no command names a collector of its own.
        assertThat(lines)
                .anyMatch(line -> line.startsWith("ENV JAVA_TOOL_OPTIONS") && line.contains("-XX:+UseParallelGC"));
        assertThat(lines)
                .filteredOn(line -> line.matches("(ENTRYPOINT|RUN java|CMD).*"))
                .noneMatch(line -> line.contains("GC"));
        assertThat(Manifests.base()
                        .filter(Manifests::isWorkload)
                        .flatMap(Manifests::containers)
                        .flatMap(container -> container.at("env").items())
                        .map(variable -> variable.at("name").text()))
                .doesNotContain("JAVA_TOOL_OPTIONS");
    }

    @Test
    void shouldCopyOnlyWhatThereIs() {
        for (String script : List.of("docker/healthcheck", "docker/make-credentials")) {
            assertThat(Files.isExecutable(Repository.path(script))).as(script).isTrue();
        }
        assertThat(Files.exists(Repository.path("docker/logback-jobs.xml"))).isTrue();
    }
}
