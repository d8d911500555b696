package io.sallyport.router.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.envelope.topic.Sizing;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.router.core.Entries;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;

class RouterPropertiesTest {
    @Test
    void shouldHaveTheDefaultsOfTheDesign() {
        RouterProperties properties = bind(Map.of("instance", "0"));

        assertThat(properties.bootstrapServers()).isEqualTo("127.0.0.1:9092");
        assertThat(properties.stateDir()).isEqualTo(Path.of("data/command-router"));
        assertThat(properties.sizing().topics()).isEqualTo(TopicSizing.LOCAL);
        assertThat(properties.nodeTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(properties.queue().toLimits()).isEqualTo(Entries.LIMITS);
    }

    @Test
    void shouldTakeEveryKey() {
        var set = new HashMap<String, String>();
        set.put("bootstrap-servers", "kafka:9092");
        set.put("instance", "3");
        set.put("state-dir", "/var/lib/router");
        set.put("sizing", "cell");
        set.put("node-timeout", "20s");
        set.put("streams.threads", "4");
        set.put("streams.commit-interval", "20ms");
        set.put("queue.cap", "100");
        set.put("queue.urgent-window", "8");
        set.put("queue.window", "2");
        set.put("queue.window-bytes", "1MB");
        set.put("queue.repeat-after", "10s");
        set.put("queue.repeat-at-most", "60s");
        set.put("queue.recheck", "1s");
        set.put("rack", "zone-a");
        set.put("queue.status-retention", "1d");

        RouterProperties properties = bind(set);

        assertThat(properties)
                .isEqualTo(new RouterProperties(
                        "kafka:9092",
                        3,
                        Path.of("/var/lib/router"),
                        Sizing.CELL,
                        "zone-a",
                        Duration.ofSeconds(20),
                        new RouterProperties.Streams(4, Duration.ofMillis(20)),
                        new RouterProperties.Queue(
                                100,
                                8,
                                2,
                                DataSize.ofMegabytes(1),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(60),
                                Duration.ofSeconds(1),
                                Duration.ofDays(1))));
    }

    @ParameterizedTest
    @CsvSource({
        "bootstrap-servers,' '",
        "instance,-1",
        "rack,a b",
        "node-timeout,1ms",
        "streams.threads,0",
        "streams.commit-interval,0ms",
        "queue.cap,0",
        "queue.cap,5000",
        "queue.window,0",
        "queue.urgent-window,0",
        "queue.repeat-after,0s",
        "queue.repeat-at-most,1s",
        "queue.recheck,0s",
        "queue.status-retention,0s",
        "queue.unknown,1"
    })
    void shouldRefuse(String key, String value) {
        assertThatThrownBy(() -> bind(Map.of(key, value))).isInstanceOf(RuntimeException.class);
    }

    private static RouterProperties bind(Map<String, String> values) {
        var context = new ApplicationContextRunner().withUserConfiguration(Wiring.class);
        for (Map.Entry<String, String> value : values.entrySet()) {
            context = context.withPropertyValues("sallyport.router." + value.getKey() + "=" + value.getValue());
        }
        var bound = new AtomicReference<RouterProperties>();
        context.run(started -> bound.set(started.getBean(RouterProperties.class)));
        return bound.get();
    }

    @EnableConfigurationProperties(RouterProperties.class)
    static class Wiring {}
}
