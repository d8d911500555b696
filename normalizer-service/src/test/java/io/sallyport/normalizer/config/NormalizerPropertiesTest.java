package io.sallyport.normalizer.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.envelope.topic.Sizing;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.normalizer.core.Limits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class NormalizerPropertiesTest {
    @EnableConfigurationProperties(NormalizerProperties.class)
    static class Wiring {}

    private static final String PREFIX = "sallyport.normalizer.";
    private final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Wiring.class);

    @Test
    void shouldHaveTheDocumentedDefaults() {
        runner.run(context -> assertThat(context.getBean(NormalizerProperties.class))
                .isEqualTo(new NormalizerProperties(
                        "127.0.0.1:9092",
                        "local",
                        Path.of("data/normalizer"),
                        "normalizer-0",
                        Sizing.LOCAL,
                        "",
                        1,
                        Duration.ofMillis(100),
                        Duration.ofSeconds(60),
                        Duration.ofHours(1),
                        4_096,
                        1_024,
                        Duration.ofSeconds(10),
                        Duration.ofHours(1))));
        runner.run(context ->
                assertThat(context.getBean(NormalizerProperties.class).limits()).isEqualTo(Limits.DEFAULTS));
    }

    @Test
    void shouldTakeEveryKey() {
        var keys = new TreeMap<>(Map.of(
                "bootstrap-servers", "k:1",
                "state-dir", "/var/n",
                "instance-id", "n-7",
                "sizing", "cell",
                "stream-threads", "3",
                "commit-interval", "250ms",
                "gap-grace", "5s",
                "gap-grace-max", "10m",
                "max-ranges", "100",
                "declared-ranges", "50"));
        keys.put("cell", "eu-1");
        keys.put("rack", "zone-a");
        keys.put("session-timeout", "20s");
        keys.put("snapshot-interval", "10m");
        runner.withPropertyValues(keys.entrySet().stream()
                        .map(key -> PREFIX + key.getKey() + "=" + key.getValue())
                        .toArray(String[]::new))
                .run(context -> {
                    var properties = context.getBean(NormalizerProperties.class);
                    assertThat(properties)
                            .isEqualTo(new NormalizerProperties(
                                    "k:1",
                                    "eu-1",
                                    Path.of("/var/n"),
                                    "n-7",
                                    Sizing.CELL,
                                    "zone-a",
                                    3,
                                    Duration.ofMillis(250),
                                    Duration.ofSeconds(5),
                                    Duration.ofMinutes(10),
                                    100,
                                    50,
                                    Duration.ofSeconds(20),
                                    Duration.ofMinutes(10)));
                    assertThat(properties.sizing().topics()).isEqualTo(TopicSizing.CELL);
                });
    }

    @Test
    void shouldRefuseAnUnknownKey() {
        runner.withPropertyValues(PREFIX + "gap-grase=1s")
                .run(context -> assertThat(context).hasFailed());
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of("bootstrap-servers", " "),
                Arguments.of("cell", "a b"),
                Arguments.of("instance-id", "a b"),
                Arguments.of("rack", "a b"),
                Arguments.of("stream-threads", "0"),
                Arguments.of("commit-interval", "1ms"),
                Arguments.of("gap-grace", "-1s"),
                Arguments.of("gap-grace-max", "1s"),
                Arguments.of("max-ranges", "4097"),
                Arguments.of("declared-ranges", "0"),
                Arguments.of("session-timeout", "500ms"),
                Arguments.of("session-timeout", "31s"),
                Arguments.of("snapshot-interval", "0s"),
                Arguments.of("snapshot-interval", "61m"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void shouldNameTheKeyThatIsOutOfRange(String key, String value) {
        runner.withPropertyValues(PREFIX + key + "=" + value)
                .run(context -> assertThatThrownBy(() -> context.getBean(NormalizerProperties.class))
                        .hasStackTraceContaining(PREFIX + key));
    }
}
