package io.sallyport.export.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.topic.Topics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Rows are given up only where none can come: an open transaction may hold them. */
class LogEndsIT {
    private static final TopicPartition PARTITION = new TopicPartition(Topics.COVERAGE.name(), 0);

    @Test
    void shouldWaitForATransactionThatIsOpen() throws IOException {
        String broker = TestBroker.shared().bootstrapServers();
        try (var ends = new LogEnds(broker);
                var producer = new KafkaProducer<>(
                        Map.<String, Object>of(
                                "bootstrap.servers", broker, "transactional.id", "ends-" + UUID.randomUUID()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(PARTITION.topic(), PARTITION.partition(), null, new byte[1]));
            producer.flush();
            assertThat(ends.nothingPendingBehind(PARTITION, committedEnd(broker)))
                    .isFalse();
            producer.commitTransaction();
            // A commit is decided before its marker stands in the partition.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> ends.nothingPendingBehind(PARTITION, committedEnd(broker)));
        }
    }

    /** How far a reader of committed records comes. */
    private static long committedEnd(String broker) {
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", broker, "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            return consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
        }
    }
}
