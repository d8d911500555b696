package io.sallyport.normalizer.streams;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The topology in a JVM of its own, so that a test can kill it as a machine would. */
public final class NormalizerProcess {
    private NormalizerProcess() {}

    static Process start(String bootstrapServers, Path stateDir) throws IOException {
        return new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-XX:+UseParallelGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NormalizerProcess.class.getName(),
                        bootstrapServers,
                        stateDir.toString()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    public static void main(String[] args) throws InterruptedException {
        var meters = new SimpleMeterRegistry();
        var streams = new NormalizerStreams(
                new StreamsSettings(
                        args[0],
                        "test",
                        Path.of(args[1]),
                        new StreamsSettings.Instance("it-0", "", NormalizerRun.SESSION_TIMEOUT_MS),
                        1,
                        100,
                        3_600_000,
                        TopicSizing.LOCAL),
                Incarnation.FIRST,
                Decider.dedupe(NormalizerRun.LIMITS, type -> type >= 2 && type <= 11),
                NormalizerRun.NONE,
                new NormalizerMetrics(meters, new Alerts(meters)),
                () -> {});
        streams.start();
        // The parent ends this process; where the parent dies first, its input ends.
        try {
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            // As good as an end.
        }
        Runtime.getRuntime().halt(0);
    }
}
