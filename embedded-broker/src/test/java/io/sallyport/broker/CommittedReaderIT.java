package io.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.Topics;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import javax.management.ObjectName;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class CommittedReaderIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();
    private static final String TOPIC = Topics.COVERAGE.name();

    @Test
    void shouldReadWhatWasCommittedInEveryPartitionBeforeItWasAsked() {
        try (var producer = producer("reader-it-commits");
                var reader = new CommittedReader(BOOTSTRAP, "reader-it")) {
            producer.initTransactions();
            List<TopicPartition> partitions = reader.partitions(TOPIC);
            reader.fromBeginning(partitions);
            for (int round = 0; round < 50; round++) {
                producer.beginTransaction();
                for (TopicPartition partition : partitions) {
                    producer.send(record(partition.partition(), "round-" + round));
                }
                producer.commitTransaction();
                // At once: the markers of the commit may not have reached every partition.
                String wanted = "round-" + round;
                assertThat(values(reader).stream().filter(wanted::equals)).hasSize(partitions.size());
            }
        }
    }

    @Test
    void shouldWaitForATransactionThatIsOpenAndLeaveOutOneThatIsAborted() throws Exception {
        var partition = new TopicPartition(TOPIC, 0);
        try (var producer = producer("reader-it-open");
                var reader = new CommittedReader(BOOTSTRAP, "reader-it-open")) {
            reader.fromBeginning(List.of(partition));
            values(reader);
            long from = reader.position(partition);
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(record(0, "aborted"));
            producer.flush();
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(record(0, "decided later"));
            producer.flush();
            var read = CompletableFuture.supplyAsync(() -> values(reader.from(partition, from)));
            assertThatThrownBy(() -> read.get(500, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            producer.commitTransaction();
            assertThat(read.get(30, TimeUnit.SECONDS)).containsExactly("decided later");
        }
    }

    /** Two clients of one name would cost a warning, and the meters of one of them. */
    @Test
    void shouldHaveAClientOfItsOwnNameForTheEnds() throws Exception {
        var server = ManagementFactory.getPlatformMBeanServer();
        try (var reader = new CommittedReader(BOOTSTRAP, "reader-it-names")) {
            values(reader.fromBeginning(List.of(new TopicPartition(TOPIC, 0))));

            assertThat(server.queryNames(new ObjectName("kafka.consumer:type=app-info,id=reader-it-names*"), null))
                    .hasSize(2);
        }
    }

    @Test
    void shouldSayThatATopicIsMissing() {
        try (var reader = new CommittedReader(BOOTSTRAP, "reader-it-missing")) {
            assertThatThrownBy(() -> reader.fromBeginning("no-such-topic")).hasMessageContaining("no-such-topic");
        }
    }

    private static List<String> values(CommittedReader reader) {
        return StreamSupport.stream(reader.toEnd().spliterator(), false)
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .toList();
    }

    private static ProducerRecord<String, String> record(int partition, String value) {
        return new ProducerRecord<>(TOPIC, partition, "k", value);
    }

    private static KafkaProducer<String, String> producer(String id) {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        (Object) BOOTSTRAP,
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        id),
                new StringSerializer(),
                new StringSerializer());
    }
}
