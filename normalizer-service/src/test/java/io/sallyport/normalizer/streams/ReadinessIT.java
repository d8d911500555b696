package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.normalizer.generation.RunningGenerations;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rolling update goes on when an instance is ready: so it is only once it has its partitions and their state. */
class ReadinessIT {
    @TempDir
    Path stateDir;

    @Test
    void shouldNotBeReadyBeforeItsPartitionsAreHere() {
        var meters = new SimpleMeterRegistry();
        // Its own brokers do not answer, so it waits for its partitions for ever.
        var settings = new StreamsSettings(
                "127.0.0.1:1",
                "test",
                stateDir,
                new StreamsSettings.Instance("it-0", "", NormalizerRun.SESSION_TIMEOUT_MS),
                1,
                100,
                3_600_000,
                TopicSizing.LOCAL);
        try (var generations = new RunningGenerations(
                TestBroker.shared().bootstrapServers(),
                (incarnation, gaveUp) -> new NormalizerStreams(
                        settings,
                        incarnation,
                        Decider.dedupe(NormalizerRun.LIMITS, type -> true),
                        NormalizerRun.NONE,
                        new NormalizerMetrics(meters, new Alerts(meters)),
                        gaveUp),
                () -> {})) {
            generations.start();
            assertThat(generations.state()).isEqualTo("REBALANCING");
            assertThat(generations.isServing()).isFalse();
        }
    }
}
