package io.sallyport.normalizer.streams;

import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.Limits;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;

/** A running topology against the test broker. All runs share the application id, as instances do. */
public final class NormalizerRun implements AutoCloseable {
    public static final Limits LIMITS = new Limits(
            60_000,
            3_600_000,
            4_096,
            1_024,
            Topics.STRUCTURED.maxMessageBytes() - 4_096,
            Topics.QUARANTINE.maxMessageBytes() - 65_536);

    /** Of a killed run, whose partitions another one gets: few tests are about that, and none about how long it takes. */
    public static final int SESSION_TIMEOUT_MS = 2_000;

    /** The first generation begins with nothing. */
    static final Predecessors NONE = new Predecessors() {
        @Override
        public void entries(int shard, long offset, BiConsumer<byte[], byte[]> each) {
            throw new IllegalStateException();
        }

        @Override
        public boolean isWanted(int generation) {
            return generation == 0;
        }
    };

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicBoolean gaveUp = new AtomicBoolean();
    private final NormalizerStreams streams;

    private NormalizerRun(Path stateDir, String instanceId, IntPredicate registered) {
        streams = new NormalizerStreams(
                new StreamsSettings(
                        TestBroker.shared().bootstrapServers(),
                        "test",
                        stateDir,
                        new StreamsSettings.Instance(instanceId, "", SESSION_TIMEOUT_MS),
                        1,
                        100,
                        3_600_000,
                        TopicSizing.LOCAL),
                Incarnation.FIRST,
                Decider.dedupe(LIMITS, registered),
                NONE,
                new NormalizerMetrics(meters, new Alerts(meters)),
                () -> gaveUp.set(true));
    }

    public static NormalizerRun start(Path stateDir, String instanceId, IntPredicate registered) {
        var run = new NormalizerRun(stateDir, instanceId, registered);
        run.streams.start();
        await().atMost(Duration.ofSeconds(60)).until(run.streams::isRunning);
        return run;
    }

    public static NormalizerRun start(Path stateDir) {
        return start(stateDir, "it-0", type -> type >= 2 && type <= 11);
    }

    public double count(String name) {
        return meters.find(name).counters().stream()
                .mapToDouble(io.micrometer.core.instrument.Counter::count)
                .sum();
    }

    public boolean gaveUp() {
        return gaveUp.get();
    }

    public boolean isRunning() {
        return streams.isRunning();
    }

    public String state() {
        return streams.state();
    }

    @Override
    public void close() {
        streams.close();
    }
}
