package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.session.kafka.RawRetentionWatch;
import io.sallyport.session.metrics.GatewayMetrics;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A watch that has no broker to ask. */
class RawRetentionUnknownIT {
    @Test
    void shouldHoldEverythingBeforeTheFirstLook() {
        try (var blind = new RawRetentionWatch(
                "127.0.0.1:1",
                0,
                "dead-normalizer",
                Duration.ofMillis(100),
                Duration.ofSeconds(3),
                2,
                new GatewayMetrics(new SimpleMeterRegistry()))) {
            assertThat(blind.isKnown()).isFalse();
            assertThat(blind.heldPartitions()).containsExactly(0, 1);
        }
    }
}
