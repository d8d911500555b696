package io.sallyport.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The `docker` command line, against the engine that DOCKER_HOST or the context names. */
final class DockerEngine {
    private static final Duration ANSWER = Duration.ofSeconds(30);

    private final Path folder;
    private final Map<String, String> environment;

    /** What a command came to; {@code output} is its standard output. */
    record Result(int exit, String output, String error) {}

    /** @param folder where the output of a command is kept while it runs */
    DockerEngine(Path folder, Map<String, String> environment) {
        this.folder = folder;
        this.environment = environment;
    }

    /** Why nothing can be tried; empty where an engine and Compose answer. */
    String missing() {
        if (!Manifests.Tool.isInstalled("docker")) {
            return "docker is not installed";
        }
        if (run(ANSWER, List.of("version", "--format", "{{.Server.Version}}")).exit() != 0) {
            return "no Docker engine answers";
        }
        return run(ANSWER, List.of("compose", "version")).exit() == 0 ? "" : "Docker has no Compose v2";
    }

    /** Runs `docker ARGUMENTS` in the root of the repository; one that takes longer is ended and fails. */
    Result run(Duration within, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add("docker");
        command.addAll(arguments);
        try {
            Path output = Files.createTempFile(folder, "docker", ".out");
            Path error = Files.createTempFile(folder, "docker", ".err");
            var builder = new ProcessBuilder(command)
                    .directory(Repository.root().toFile())
                    .redirectOutput(output.toFile())
                    .redirectError(error.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            if (!process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS)) {
                process.descendants().forEach(ProcessHandle::destroy);
                process.destroy();
                throw new AssertionError(command + " took longer than " + within + ": " + Files.readString(error));
            }
            return new Result(process.exitValue(), Files.readString(output), Files.readString(error));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The standard output of what must succeed. */
    String must(Duration within, List<String> arguments) {
        Result result = run(within, arguments);
        if (result.exit() != 0) {
            throw new AssertionError("docker " + arguments + " ended with " + result.exit() + ": "
                    + tail(result.output()) + tail(result.error()));
        }
        return result.output();
    }

    private static String tail(String text) {
        return text.substring(Math.max(0, text.length() - 8_000));
    }
}
