package io.sallyport.local.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A JVM that a benchmark runs to its end, from the class path of this one. */
final class Jvm {
    /** Its memory and collector; the same for the fleet and for Kafka's own tool. */
    static final List<String> FLAGS = List.of(
            "-Xms512m",
            "-Xmx1g",
            "-XX:MaxDirectMemorySize=512m",
            "-XX:+UseParallelGC",
            "--enable-native-access=ALL-UNNAMED");

    private static final int LOOK_MS = 20;

    private Jvm() {}

    /**
     * Runs a main class to its end.
     *
     * @param line called with each line of its standard output, on another thread
     * @return CPU time of the process, as seen shortly before its end
     */
    static Duration run(String mainClass, List<String> arguments, Consumer<String> line)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command(mainClass, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            var reading = new Thread(() -> lines(process, line), "bench-output");
            reading.start();
            Duration cpu = Duration.ZERO;
            while (process.isAlive()) {
                cpu = cpuOf(process.toHandle(), cpu);
                Thread.sleep(LOOK_MS);
            }
            reading.join();
            if (process.exitValue() != 0) {
                throw new IOException(mainClass + " ended with " + process.exitValue());
            }
            return cpu;
        } finally {
            process.destroyForcibly();
        }
    }

    /** The command line of a JVM with the class path of this one. */
    static List<String> command(String mainClass, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(arguments);
        return command;
    }

    /** CPU time of a process; {@code last} where it is gone. */
    static Duration cpuOf(ProcessHandle process, Duration last) {
        return process.info().totalCpuDuration().orElse(last);
    }

    private static void lines(Process process, Consumer<String> line) {
        try (var reader = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String text = reader.readLine();
            while (text != null) {
                line.accept(text);
                text = reader.readLine();
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
