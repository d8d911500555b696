package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.KraftBroker;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.normalizer.metrics.AlertKind;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import io.sallyport.topics.TopicAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker of its own, since it loses its raw log. */
class LogMadeAnewIT {
    private static final int PARTITION = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    Path dir;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicBoolean gaveUp = new AtomicBoolean();
    private final RawRecords raw = new RawRecords(TestLog.newSensor());

    @Test
    void shouldStopAndSaySoWhereRawBeginsAgainBelowItsState() throws Exception {
        try (var broker = KraftBroker.start(dir.resolve("log"), 0)) {
            String bootstrap = broker.bootstrapServers();
            create(bootstrap);
            for (int seq = 1; seq <= 8; seq++) {
                append(bootstrap, seq);
            }
            try (var normalizer = normalizer(bootstrap)) {
                normalizer.start();
                await().atMost(PATIENCE).until(() -> end(bootstrap, Topics.STRUCTURED.name()) >= 8);
            }
            try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
                admin.deleteTopics(List.of(Topics.RAW.name())).all().get();
                await().atMost(PATIENCE)
                        .until(() -> !admin.listTopics().names().get().contains(Topics.RAW.name()));
            }
            create(bootstrap);

            try (var normalizer = normalizer(bootstrap)) {
                normalizer.start();
                await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> {
                    append(bootstrap, 9);
                    return normalizer.state().equals("ERROR");
                });
                assertThat(normalizer.isRunning()).isFalse();
            }
            assertThat(alerts(AlertKind.LOG_MADE_ANEW)).isEqualTo(1);
            assertThat(alerts(AlertKind.STREAM_THREAD)).isZero();
            assertThat(gaveUp).as("a new process would come to the same place").isFalse();
        }
    }

    private double alerts(AlertKind kind) {
        var counter = meters.find("sallyport.alerts").tag("kind", kind.name()).counter();
        return counter == null ? 0 : counter.count();
    }

    private NormalizerStreams normalizer(String bootstrap) {
        return new NormalizerStreams(
                new StreamsSettings(
                        bootstrap,
                        "test",
                        dir.resolve("state"),
                        new StreamsSettings.Instance("it-0", "", NormalizerRun.SESSION_TIMEOUT_MS),
                        1,
                        100,
                        3_600_000,
                        TopicSizing.LOCAL),
                Incarnation.FIRST,
                Decider.dedupe(NormalizerRun.LIMITS, type -> true),
                NormalizerRun.NONE,
                new NormalizerMetrics(meters, new Alerts(meters)),
                () -> gaveUp.set(true));
    }

    private static void create(String bootstrap) throws Exception {
        try (var topics = new TopicAdmin(bootstrap, TopicSizing.LOCAL)) {
            topics.create();
        }
    }

    private void append(String bootstrap, int seq) throws Exception {
        RawRecord record = raw.range(0, 1, seq, seq);
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", bootstrap),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            var sent = new ProducerRecord<>(Topics.RAW.name(), PARTITION, record.key(), record.value());
            sent.headers().add(RawHeaders.KIND, record.kind()).add(RawHeaders.STAMP, record.stamp());
            producer.send(sent).get();
        }
    }

    private static long end(String bootstrap, String topic) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            var partition = new TopicPartition(topic, PARTITION);
            return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        }
    }
}
