package io.sallyport.normalizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.normalizer.core.RawRecords.Event;
import io.sallyport.normalizer.streams.TestLog;
import io.sallyport.topics.TopicMismatchException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

class NormalizerServiceIT {
    @TempDir
    Path stateDir;

    private ConfigurableApplicationContext start(String... more) {
        var arguments = new java.util.ArrayList<>(java.util.List.of(
                "--spring.config.name=normalizer-service",
                "--server.port=0",
                "--sallyport.normalizer.instance-id=it-0",
                "--sallyport.normalizer.session-timeout=2s",
                "--sallyport.normalizer.bootstrap-servers="
                        + TestBroker.shared().bootstrapServers(),
                "--sallyport.normalizer.state-dir=" + stateDir));
        arguments.addAll(java.util.List.of(more));
        return new SpringApplicationBuilder(NormalizerServiceApplication.class).run(arguments.toArray(String[]::new));
    }

    @Test
    void shouldServeAndTellHowItIs() {
        SensorKey sensor = TestLog.newSensor();
        try (var service = start();
                var log = new TestLog()) {
            String base =
                    "http://127.0.0.1:" + service.getEnvironment().getProperty("local.server.port") + "/actuator/";
            log.append(
                    sensor,
                    new RawRecords(sensor)
                            .batch(
                                    0,
                                    1,
                                    Event.of(1),
                                    Event.of(2).ts(0),
                                    Event.of(3).type(99)));
            TestLog.awaitEvents(sensor, 2);

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(get(base + "health/readiness")).contains("\"UP\""));
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(get(base + "prometheus"))
                            .contains("sallyport_normalizer_events_total{customer=\"acme\"}")
                            .contains("sallyport_normalizer_markers_total{reason=\"UNREGISTERED_TYPE\"} 1.0")
                            .contains("sallyport_normalizer_quarantined_total{reason=\"UNREGISTERED_TYPE\"} 1.0")
                            .contains("sallyport_normalizer_clock_skewed_total{customer=\"acme\"} 1.0")
                            .contains("sallyport_alerts_total{kind=\"CLOCK_SKEW\"} 1.0")
                            .contains("sallyport_normalizer_lag_records{partition=")
                            .contains("sallyport_normalizer_lag_ms{partition=")
                            .doesNotContain(sensor.sensorId()));
        }
    }

    @Test
    void shouldRefuseTopicsOfAnotherSize() {
        assertThatThrownBy(() -> start("--sallyport.normalizer.sizing=cell").close())
                .hasRootCauseInstanceOf(TopicMismatchException.class)
                .hasStackTraceContaining("raw has 8 partitions, not 64");
    }

    private static String get(String address) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(address)).build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }
}
