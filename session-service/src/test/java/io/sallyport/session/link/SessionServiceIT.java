package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.Stamp;
import io.sallyport.session.SessionServiceApplication;
import io.sallyport.session.netty.BoundPorts;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole service on a real broker: from a sensor's socket to the raw log and back. */
class SessionServiceIT {
    @TempDir
    static Path stateDir;

    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start() {
        context = start(stateDir);
    }

    static ConfigurableApplicationContext start(Path stateDir, String... more) {
        TestPki pki = TestPki.shared();
        var arguments = new ArrayList<>(List.of(
                "--spring.config.name=session-service",
                "--server.port=0",
                "--sallyport.session.bootstrap-servers=" + TestBroker.shared().bootstrapServers(),
                "--sallyport.session.state-dir=" + stateDir,
                "--sallyport.session.listeners.mtls.enabled=true",
                "--sallyport.session.listeners.mtls.port=0",
                "--sallyport.session.listeners.mtls.certificate=" + pki.serverCertificate(),
                "--sallyport.session.listeners.mtls.private-key=" + pki.serverKey(),
                "--sallyport.session.listeners.mtls.client-ca=" + pki.caFile(),
                "--sallyport.session.listeners.token.enabled=true",
                "--sallyport.session.listeners.token.port=0",
                "--sallyport.session.listeners.token.certificate=" + pki.serverCertificate(),
                "--sallyport.session.listeners.token.private-key=" + pki.serverKey(),
                "--sallyport.session.listeners.token.jwks=" + pki.jwksFile(),
                "--sallyport.session.listeners.token.issuer=" + TestPki.ISSUER));
        arguments.addAll(List.of(more));
        return new SpringApplicationBuilder(SessionServiceApplication.class).run(arguments.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static int port(String listener) {
        return Objects.requireNonNull(context.getBean(BoundPorts.class).asMap().get(listener));
    }

    private static SensorSocket mtls(String customer, String sensor) throws Exception {
        TestPki pki = TestPki.shared();
        return SensorSocket.connect(port("mtls"), pki.client(pki.sensor("sensor://" + customer + "/" + sensor)));
    }

    @Test
    void shouldAppendWhatIsReceivedAndResume() throws Exception {
        byte[] body = Wire.zstdBatch(1, 1, 1, 100, 200);
        Accept first;
        try (SensorSocket sensor = mtls("acme", "it-1")) {
            first = sensor.start(Wire.start("acme", "it-1").build());
            assertThat(first.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_FIRST);
            sensor.send(FrameType.BATCH, body);
            sensor.readAckUpTo(100);
        }
        var records = rawOf("acme/it-1", 2);
        assertThat(kinds(records)).containsExactly("EPOCH_OPEN", "BATCH");
        assertThat(records.get(1).value()).isEqualTo(body);
        Stamp stamp = Stamp.parseFrom(
                records.get(1).headers().lastHeader(RawHeaders.STAMP).value());
        assertThat(stamp.getSessionId()).isEqualTo(first.getSessionId());

        try (SensorSocket sensor = mtls("acme", "it-1")) {
            Accept resumed = sensor.start(Wire.start("acme", "it-1")
                    .setEpoch(first.getEpoch())
                    .setWatermark(50)
                    .setNextSeq(101)
                    .setLastSessionId(first.getSessionId())
                    .build());
            assertThat(resumed.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            assertThat(resumed.getWatermark()).isBetween(50L, 100L);
            sensor.send(FrameType.BATCH, Wire.batch(1, 2, resumed.getWatermark() + 1, 150, 100));
            sensor.readAckUpTo(150);
        }
    }

    @Test
    void shouldGiveANewEpochToARestoredSnapshot() throws Exception {
        Accept first;
        try (SensorSocket sensor = mtls("acme", "it-2")) {
            first = sensor.start(Wire.start("acme", "it-2").build());
            sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 10, 10));
            sensor.readAckUpTo(10);
        }
        try (SensorSocket sensor = mtls("acme", "it-2")) {
            // It knows nothing of the session in which it sent 1 to 10.
            Accept rolledBack = sensor.start(
                    Wire.start("acme", "it-2").setEpoch(1).setNextSeq(3).build());
            assertThat(rolledBack.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
            assertThat(rolledBack.getEpoch()).isEqualTo(2);
        }
        assertThat(kinds(rawOf("acme/it-2", 3))).containsExactly("EPOCH_OPEN", "BATCH", "EPOCH_OPEN");
    }

    /** H03: what passes the node's own limits and not the producer's or the topic's could never be appended. */
    @Test
    void h03ShouldRefuseToStartWithLimitsAboveTheLog() {
        assertThatThrownBy(() -> start(stateDir, "--sallyport.session.limits.max-frame-bytes=1200000"))
                .rootCause()
                .hasMessageContaining("append.max-request-bytes");
        assertThatThrownBy(() -> start(
                        stateDir,
                        "--sallyport.session.limits.max-frame-bytes=1200000",
                        "--sallyport.session.append.max-request-bytes=2MB"))
                .rootCause()
                .hasMessageContaining("the topic raw only");
    }

    @Test
    void shouldBeReadyAndTellItsPorts() throws Exception {
        int http =
                Integer.parseInt(Objects.requireNonNull(context.getEnvironment().getProperty("local.server.port")));
        Awaitility.await().untilAsserted(() -> {
            assertThat(get(http, "/actuator/health/readiness").statusCode()).isEqualTo(200);
        });
        assertThat(get(http, "/actuator/health/liveness").statusCode()).isEqualTo(200);
        assertThat(get(http, "/actuator/info").body())
                .contains("\"mtls\":" + port("mtls"))
                .contains("\"token\":" + port("token"));
        assertThat(get(http, "/actuator/prometheus").body())
                .contains("sallyport_link_rejects_total")
                .contains("sallyport_alerts_total");
    }

    private static HttpResponse<String> get(int port, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static List<String> kinds(List<ConsumerRecord<String, byte[]>> records) {
        return records.stream()
                .map(record -> new String(
                        record.headers().lastHeader(RawHeaders.KIND).value(), java.nio.charset.StandardCharsets.UTF_8))
                .toList();
    }

    static List<ConsumerRecord<String, byte[]>> rawOf(String key, int atLeast) {
        Map<String, Object> config =
                Map.of("bootstrap.servers", TestBroker.shared().bootstrapServers(), "auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer())) {
            var partitions = consumer.partitionsFor("raw").stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var found = new ArrayList<ConsumerRecord<String, byte[]>>();
            Awaitility.await().until(() -> {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    if (record.key().equals(key)) {
                        found.add(record);
                    }
                }
                return found.size() >= atLeast;
            });
            return found;
        }
    }
}
