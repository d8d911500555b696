package io.sallyport.fanout.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.fanout.alerts.Alerts;
import io.sallyport.fanout.core.Decider;
import io.sallyport.fanout.core.FanoutLimits;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.SeededRegistry;
import io.sallyport.fanout.core.TargetResolver;
import io.sallyport.fanout.selector.AntlrSelectorParser;
import io.sallyport.tracing.CommandTraces;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeciderFailuresTest {
    @Test
    void shouldGiveUpWhereThreadsKeepDying(@TempDir Path dir) {
        var meters = new SimpleMeterRegistry();
        var gaveUp = new AtomicInteger();
        var resolver = new TargetResolver(
                new AntlrSelectorParser(), new MetadataIndex(), (customer, name) -> Optional.empty());
        try (var streams = new DeciderStreams(
                new DeciderStreams.Settings("127.0.0.1:1", 0, dir, "", 1, TopicSizing.LOCAL),
                new Decider(FanoutLimits.DEFAULTS, new SeededRegistry(), resolver),
                () -> CompletableFuture.completedFuture(true),
                new DeciderMeters(meters, new Alerts(meters), CommandTraces.NONE),
                gaveUp::incrementAndGet)) {
            for (int i = 0; i < 5; i++) {
                assertThat(streams.onFailure(new IllegalStateException("poison")))
                        .isEqualTo(StreamThreadExceptionResponse.REPLACE_THREAD);
            }
            assertThat(gaveUp).hasValue(0);
            assertThat(streams.onFailure(new IllegalStateException("poison")))
                    .isEqualTo(StreamThreadExceptionResponse.SHUTDOWN_CLIENT);
            assertThat(gaveUp).hasValue(1);
            assertThat(meters.counter("sallyport.alerts", "kind", "WORKER_FAILED")
                            .count())
                    .isEqualTo(6);
        }
    }

    @Test
    void shouldForgetOldFailures() {
        var failures = new ThreadFailures(2, 1_000);
        assertThat(failures.mayReplace(0)).isTrue();
        assertThat(failures.mayReplace(10)).isTrue();
        assertThat(failures.mayReplace(900)).isFalse();
        assertThat(failures.mayReplace(2_000)).isTrue();
    }
}
