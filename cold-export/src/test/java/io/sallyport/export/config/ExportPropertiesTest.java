package io.sallyport.export.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.envelope.topic.RetentionTier;
import io.sallyport.envelope.topic.Sizing;
import io.sallyport.envelope.topic.TopicSizing;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;

class ExportPropertiesTest {
    @EnableConfigurationProperties(ExportProperties.class)
    static class Wiring {}

    private static final String PREFIX = "sallyport.export.";
    private final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Wiring.class);

    @Test
    void shouldHaveTheDocumentedDefaults() {
        runner.run(context -> assertThat(context.getBean(ExportProperties.class))
                .isEqualTo(new ExportProperties(
                        "127.0.0.1:9092",
                        "local",
                        Sizing.LOCAL,
                        "",
                        Path.of("data/export"),
                        new ExportProperties.S3("", "", "us-east-1", null, "", ""),
                        Path.of("data/export-scratch"),
                        1,
                        Duration.ofMinutes(10),
                        DataSize.ofGigabytes(4),
                        DataSize.ofMegabytes(128),
                        DataSize.ofMegabytes(64),
                        DataSize.ofGigabytes(16),
                        new ExportProperties.Files(
                                Duration.ofMinutes(1),
                                (int) RetentionTier.COLD.retention().toDays(),
                                Duration.ofHours(2),
                                Duration.ofHours(1)),
                        new ExportProperties.Signing(null, Duration.ofSeconds(1), Duration.ofMinutes(1), null))));
    }

    @Test
    void shouldTakeEveryKey() {
        var keys = new TreeMap<String, String>(Map.of(
                "bootstrap-servers", "k:1",
                "cell", "eu-1",
                "sizing", "cell",
                "folder", "/lake",
                "scratch-dir", "/scratch",
                "threads", "3",
                "rotation", "1m",
                "range-bytes", "10MB",
                "file-bytes", "2MB",
                "buffer-bytes", "3MB"));
        keys.put("rack", "zone-a");
        keys.putAll(Map.of(
                "scratch-bytes", "20MB",
                "s3.bucket", "b",
                "s3.prefix", "p/",
                "s3.region", "eu-central-1",
                "s3.endpoint", "http://127.0.0.1:1",
                "s3.access-key", "a",
                "s3.secret-key", "hidden"));
        keys.putAll(Map.of(
                "checkpoint.key-file", "/key.pem",
                "checkpoint.interval", "2s",
                "checkpoint.idle-interval", "3m",
                "checkpoint.copy-dir", "/copies"));
        keys.putAll(Map.of(
                "maintenance.every", "5s",
                "maintenance.retention-days", "30",
                "maintenance.compaction-delay", "1h",
                "maintenance.deletion-delay", "5m",
                "checkpoint.key-file", "/keys/k.pem",
                "checkpoint.interval", "2s",
                "checkpoint.idle-interval", "3m",
                "checkpoint.copy-dir", "/copies"));
        runner.withPropertyValues(keys.entrySet().stream()
                        .map(key -> PREFIX + key.getKey() + "=" + key.getValue())
                        .toArray(String[]::new))
                .run(context -> {
                    var properties = context.getBean(ExportProperties.class);
                    assertThat(properties)
                            .isEqualTo(new ExportProperties(
                                    "k:1",
                                    "eu-1",
                                    Sizing.CELL,
                                    "zone-a",
                                    Path.of("/lake"),
                                    new ExportProperties.S3(
                                            "b", "p/", "eu-central-1", URI.create("http://127.0.0.1:1"), "a", "hidden"),
                                    Path.of("/scratch"),
                                    3,
                                    Duration.ofMinutes(1),
                                    DataSize.ofMegabytes(10),
                                    DataSize.ofMegabytes(2),
                                    DataSize.ofMegabytes(3),
                                    DataSize.ofMegabytes(20),
                                    new ExportProperties.Files(
                                            Duration.ofSeconds(5), 30, Duration.ofHours(1), Duration.ofMinutes(5)),
                                    new ExportProperties.Signing(
                                            Path.of("/keys/k.pem"),
                                            Duration.ofSeconds(2),
                                            Duration.ofMinutes(3),
                                            Path.of("/copies"))));
                    assertThat(properties.sizing().topics()).isEqualTo(TopicSizing.CELL);
                    assertThat(properties.toString()).doesNotContain("hidden");
                });
    }

    @Test
    void shouldRefuseAnUnknownKey() {
        runner.withPropertyValues(PREFIX + "rotatoin=1s")
                .run(context -> assertThat(context).hasFailed());
    }

    @ParameterizedTest
    @CsvSource({
        "bootstrap-servers,' '",
        "cell,a b",
        "rack,a b",
        "threads,0",
        "rotation,1ms",
        "range-bytes,10KB",
        "file-bytes,6GB",
        "buffer-bytes,10KB",
        "scratch-bytes,1MB",
        "s3.prefix,p",
        "s3.access-key,a",
        "s3.endpoint,somewhere",
        "checkpoint.interval,1ms",
        "checkpoint.copy-dir,/copies",
        "maintenance.every,1ms",
        "maintenance.retention-days,0",
        "maintenance.compaction-delay,-1s",
        "maintenance.deletion-delay,-1s",
        "checkpoint.interval,1ms",
        "checkpoint.copy-dir,/copies"
    })
    void shouldNameTheKeyThatIsOutOfRange(String key, String value) {
        runner.withPropertyValues(PREFIX + key + "=" + value)
                .run(context -> assertThatThrownBy(() -> context.getBean(ExportProperties.class))
                        .hasStackTraceContaining(PREFIX + key));
    }
}
