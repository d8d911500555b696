package io.sallyport.local.bench;

import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Samples of what the threads of a running JVM spend their CPU time on, taken by its own flight recorder: by CPU time, native
 * code included, from JDK 25 on; before, of running Java code at fixed intervals.
 */
final class CpuProfile {
    private static final int FIRST_WITH_CPU_TIME = 25;
    private static final int PATIENCE_S = 60;
    private static final String SETTINGS = """
            <?xml version="1.0" encoding="UTF-8"?>
            <configuration version="2.0" label="bench">
              <event name="%s">
                <setting name="enabled">true</setting>
                <setting name="stackTrace">true</setting>
                <setting name="%s">10 ms</setting>
              </event>
            </configuration>
            """;

    private final long pid;
    private final Path file;

    /** How many samples there are, and in how many of them one of the wanted frames stands. */
    record Share(long samples, long matching) {
        double share() {
            return samples == 0 ? 0 : matching / (double) samples;
        }
    }

    private CpuProfile(long pid, Path file) {
        this.pid = pid;
        this.file = file;
    }

    static String method() {
        return byCpuTime()
                ? "JFR jdk.CPUTimeSample each 10 ms of CPU time, native code included"
                : "JFR jdk.ExecutionSample each 10 ms, Java code only";
    }

    /** Begins to sample another JVM of the same JDK. */
    static CpuProfile start(long pid, Path folder) throws IOException, InterruptedException {
        Path settings = folder.resolve("bench.jfc");
        Files.writeString(
                settings,
                SETTINGS.formatted(
                        byCpuTime() ? "jdk.CPUTimeSample" : "jdk.ExecutionSample",
                        byCpuTime() ? "throttle" : "period"));
        var profile = new CpuProfile(pid, folder.resolve("cpu-" + pid + ".jfr"));
        profile.jcmd("JFR.configure", "stackdepth=256");
        profile.jcmd("JFR.start", "name=bench", "settings=" + settings, "filename=" + profile.file);
        return profile;
    }

    /** Ends it, and counts samples with a frame of a wanted class. */
    Share stop(Predicate<String> wantedClass) throws IOException, InterruptedException {
        jcmd("JFR.stop", "name=bench");
        long samples = 0;
        long matching = 0;
        try (var recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                if (event.getStackTrace() == null) {
                    continue;
                }
                samples++;
                if (event.getStackTrace().getFrames().stream()
                        .anyMatch(frame ->
                                wantedClass.test(frame.getMethod().getType().getName()))) {
                    matching++;
                }
            }
        }
        return new Share(samples, matching);
    }

    private static boolean byCpuTime() {
        return Runtime.version().feature() >= FIRST_WITH_CPU_TIME;
    }

    private void jcmd(String... command) throws IOException, InterruptedException {
        var all = new ArrayList<String>();
        all.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
        all.add(Long.toString(pid));
        all.addAll(List.of(command));
        Path output = file.resolveSibling("jcmd.out");
        Process process = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        if (process.isAlive() || process.exitValue() != 0) {
            throw new StackException(
                    "jcmd " + command[0] + ": " + Files.readString(output).strip());
        }
    }
}
