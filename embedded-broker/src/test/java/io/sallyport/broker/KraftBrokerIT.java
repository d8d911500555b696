package io.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.ControlSeeds;
import io.sallyport.topics.TopicAdmin;
import io.sallyport.topics.TopicMismatchException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KraftBrokerIT {
    @Test
    void shouldKeepItsTopicsAndRecordsAcrossARestart(@TempDir Path dir) throws Exception {
        String first;
        try (var broker = KraftBroker.start(dir, 0)) {
            first = broker.bootstrapServers();
            try (var topics = new TopicAdmin(first, TopicSizing.LOCAL);
                    var seeds = new ControlSeeds(first)) {
                topics.create();
                seeds.put(Customer.newBuilder().setCustomerId("acme").build());
            }
        }
        try (var broker = KraftBroker.start(dir, 0);
                var topics = new TopicAdmin(broker.bootstrapServers(), TopicSizing.LOCAL)) {
            topics.check(Topics.all());
            topics.create();
            assertThat(keysOf(broker.bootstrapServers(), Topics.CUSTOMERS.name()))
                    .isEqualTo("acme");
        }
    }

    @Test
    void shouldNameEveryDifferenceFromTheCatalogueAtOnce() throws Exception {
        String bootstrap = TestBroker.shared().bootstrapServers();
        var wider = new TopicSizing(16, 8, 8, 1, 1, false);
        try (var topics = new TopicAdmin(bootstrap, wider)) {
            assertThatThrownBy(() -> topics.check(Topics.all()))
                    .isInstanceOf(TopicMismatchException.class)
                    .hasMessageContaining("raw has 8 partitions, not 16")
                    .hasMessageContaining("structured has 8 partitions, not 16");
        }
    }

    @Test
    void shouldReportAMissingTopic(@TempDir Path dir) throws Exception {
        try (var broker = KraftBroker.start(dir, 0);
                var topics = new TopicAdmin(broker.bootstrapServers(), TopicSizing.LOCAL);
                var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            topics.create();
            admin.deleteTopics(List.of("coverage")).all().get();
            Awaitility.await()
                    .untilAsserted(() -> assertThatThrownBy(() -> topics.check(Topics.all()))
                            .hasMessageContaining("coverage is missing"));
        }
    }

    @Test
    void shouldAcceptALongerRetentionAndRefuseAShorterOne(@TempDir Path dir) throws Exception {
        try (var broker = KraftBroker.start(dir, 0);
                var topics = new TopicAdmin(broker.bootstrapServers(), TopicSizing.LOCAL);
                var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            topics.create();
            long retentionMs = Topics.RAW.retention().toMillis();
            for (long longer : new long[] {retentionMs + 1, 10 * retentionMs, -1}) {
                retain(admin, longer);
                topics.check(Topics.all());
            }
            retain(admin, retentionMs - 1);
            assertThatThrownBy(() -> topics.check(Topics.all()))
                    .hasMessageContaining("raw has retention.ms=%d, not %d".formatted(retentionMs - 1, retentionMs));
        }
    }

    private static void retain(Admin admin, long retentionMs) throws Exception {
        var raw = new ConfigResource(ConfigResource.Type.TOPIC, Topics.RAW.name());
        String value = Long.toString(retentionMs);
        admin.incrementalAlterConfigs(Map.of(
                        raw,
                        List.of(new AlterConfigOp(new ConfigEntry("retention.ms", value), AlterConfigOp.OpType.SET))))
                .all()
                .get();
        // The broker that is asked next may not have heard of it yet.
        Awaitility.await()
                .until(() -> admin.describeConfigs(List.of(raw))
                        .all()
                        .get()
                        .get(raw)
                        .get("retention.ms")
                        .value()
                        .equals(value));
    }

    private static String keysOf(String bootstrap, String topic) {
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrap);
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            var partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            var keys = new java.util.ArrayList<String>();
            Awaitility.await().until(() -> {
                for (ConsumerRecord<String, String> record : consumer.poll(java.time.Duration.ofMillis(100))) {
                    keys.add(record.key());
                }
                return !keys.isEmpty();
            });
            return String.join(",", keys);
        }
    }
}
