package io.sallyport.normalizer.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.metrics.GroupMeters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A consumer that falls behind is seen before it loses anything, whosever it is. */
class GroupLagIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final TopicPartition PARTITION = new TopicPartition(Topics.STRUCTURED.name(), 3);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double used(String group) {
        var gauge = registry.find("sallyport.group.retention.used")
                .tags("group", group, "topic", "structured")
                .gauge();
        return gauge == null ? -1 : gauge.value();
    }

    private static void commit(String group, long offset) {
        Map<String, Object> config = Map.of("bootstrap.servers", BOOTSTRAP, "group.id", group);
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(offset)));
        }
    }

    private static void retention(Admin admin, long ms) throws Exception {
        var topic = new ConfigResource(ConfigResource.Type.TOPIC, PARTITION.topic());
        var op = new AlterConfigOp(new ConfigEntry("retention.ms", Long.toString(ms)), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(topic, List.of(op))).all().get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldTellHowMuchOfTheRetentionAGroupHasUsedUp() throws Exception {
        long end;
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", (Object) BOOTSTRAP),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(PARTITION.topic(), PARTITION.partition(), null, new byte[1]))
                    .get();
            end = producer.send(new ProducerRecord<>(PARTITION.topic(), PARTITION.partition(), null, new byte[1]))
                            .get()
                            .offset()
                    + 1;
        }
        commit("team-late", end - 1);
        commit("team-up-to-date", end);
        var meters = new GroupMeters(registry, new Alerts(registry));
        try (var admin = Admin.create(Map.of("bootstrap.servers", BOOTSTRAP));
                var lag = new GroupLag(BOOTSTRAP, TopicSizing.LOCAL, meters, 200)) {
            lag.start();
            Awaitility.await().atMost(SOON).until(() -> used("team-late") == 0 && used("team-up-to-date") == 0);
            try {
                // What waits is seconds old: of this retention it is half and more, and the broker looks again only in
                // minutes.
                retention(admin, 4_000);
                Awaitility.await().atMost(SOON).until(() -> used("team-late") >= 0.5);
            } finally {
                retention(admin, Topics.STRUCTURED.retention().toMillis());
            }
            assertThat(registry.get("sallyport.alerts")
                            .tag("kind", "CONSUMER_LAG")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(used("team-up-to-date")).isZero();

            admin.deleteConsumerGroups(List.of("team-late")).all().get(20, TimeUnit.SECONDS);
            Awaitility.await().atMost(SOON).until(() -> used("team-late") < 0);
            // They are no records of `structured`, and other tests read the whole partition.
            admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(-1)))
                    .all()
                    .get(20, TimeUnit.SECONDS);
        }
    }
}
