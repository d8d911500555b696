package io.sallyport.session.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.Offboarding;
import io.sallyport.proto.log.v1.SegmentChunk;
import io.sallyport.topics.ControlSeeds;
import io.sallyport.topics.OffboardCustomer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

/** A customer leaves: what the control topics hold of it goes, and nothing of a customer whose name begins alike. */
class OffboardCustomerIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();

    @Test
    void shouldTakeOutASuspendedCustomerOnceAndNobodyElse() throws Exception {
        try (var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", (Object) BOOTSTRAP),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
                var seeds = new ControlSeeds(BOOTSTRAP)) {
            for (String customer : List.of("leaver", "leaver-2")) {
                seeds.put(Customer.newBuilder().setCustomerId(customer).build());
                for (int i = 0; i < 5; i++) {
                    var sensor = new SensorKey(customer, "s-" + i);
                    byte[] value = EndpointMetadata.newBuilder()
                            .setCustomerId(customer)
                            .setSensorId("s-" + i)
                            .build()
                            .toByteArray();
                    int partition = Slots.partition(sensor, TopicSizing.LOCAL.sensorPartitions());
                    send(producer, Topics.ENDPOINT_METADATA, partition, sensor.topicKey() + "/1", value);
                    send(producer, Topics.ENDPOINT_METADATA, partition, sensor.topicKey() + "/2", value);
                }
                byte[] chunk = SegmentChunk.newBuilder()
                        .setCustomerId(customer)
                        .build()
                        .toByteArray();
                send(producer, Topics.SEGMENTS, 0, customer + "/emea/1/0", chunk);
            }
            var tool = new OffboardCustomer(BOOTSTRAP);
            assertThatThrownBy(() -> tool.offboard("leaver", "ops@example"))
                    .hasMessageContaining("is active: suspend it first");
            assertThat(held(Topics.ENDPOINT_METADATA, "leaver/")).isEqualTo(10);

            seeds.put(Customer.newBuilder()
                    .setCustomerId("leaver")
                    .setDisplayName("Leaver Inc")
                    .setSuspended(true)
                    .build());
            Offboarding audit = tool.offboard("leaver", "ops@example");
            assertThat(audit.getMetadataRecords()).isEqualTo(10);
            assertThat(audit.getSegmentRecords()).isEqualTo(1);
            assertThat(audit.getBy()).isEqualTo("ops@example");
            assertThat(held(Topics.ENDPOINT_METADATA, "leaver/")).isZero();
            assertThat(held(Topics.SEGMENTS, "leaver/")).isZero();
            assertThat(held(Topics.ENDPOINT_METADATA, "leaver-2/")).isEqualTo(10);
            assertThat(held(Topics.SEGMENTS, "leaver-2/")).isEqualTo(1);

            List<Customer> records = TopicContents.of(BOOTSTRAP, Topics.CUSTOMERS, "leaver"::equals);
            Customer kept = records.get(records.size() - 1);
            assertThat(kept.getOffboarding()).isEqualTo(audit);
            assertThat(kept.getSuspended()).isTrue();
            assertThat(kept.getDisplayName()).isEqualTo("Leaver Inc");

            assertThat(tool.offboard("leaver", "somebody-else")).isEqualTo(audit);
            assertThat(TopicContents.of(BOOTSTRAP, Topics.CUSTOMERS, "leaver"::equals))
                    .hasSameSizeAs(records);
        }
    }

    @Test
    void shouldTellWhatIsWrongByItsExitCode() throws Exception {
        var err = new ByteArrayOutputStream();
        try (var print = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            assertThat(OffboardCustomer.run(List.of("--customer", "x"), print, print))
                    .isEqualTo(2);
            assertThat(OffboardCustomer.run(
                            List.of("--bootstrap-servers", BOOTSTRAP, "--customer", "../x", "--by", "me"),
                            print,
                            print))
                    .isEqualTo(1);
        }
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no id of a customer");
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer, TopicSpec<?> topic, int partition, String key, byte[] value)
            throws Exception {
        producer.send(new ProducerRecord<>(topic.name(), partition, key.getBytes(StandardCharsets.UTF_8), value))
                .get();
    }

    private static long held(TopicSpec<?> topic, String prefix) {
        Map<String, Object> config = Map.of("bootstrap.servers", BOOTSTRAP);
        var values = new TreeMap<String, Boolean>();
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer())) {
            var partitions = consumer.partitionsFor(topic.name()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(200))
                        .forEach(record -> values.put(record.key(), record.value() != null));
            }
        }
        return values.entrySet().stream()
                .filter(of -> of.getKey().startsWith(prefix) && of.getValue())
                .count();
    }
}
