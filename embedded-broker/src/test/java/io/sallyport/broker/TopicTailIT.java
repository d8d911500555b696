package io.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.edge.read.TailSource;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class TopicTailIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();
    private static final String TOPIC = Topics.DEAD_LETTERS.name();

    @Test
    void shouldReadAgainWhatItsSinkFailedAtAndStillAnswerWhoWaits() throws Exception {
        List<String> applied = new CopyOnWriteArrayList<>();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        var left = new AtomicInteger(1);
        TopicTail.Sink sink = (records, next) -> {
            if (left.getAndDecrement() > 0) {
                throw new IllegalStateException("on purpose, once");
            }
            records.forEach(record -> applied.add(new String(record.value(), StandardCharsets.UTF_8)));
        };
        try (var producer = producer(Map.of());
                var tail = new TopicTail(
                        TailSource.of(BOOTSTRAP, "tail-it", List.of(TOPIC)).quick(), sink, failures::add)) {
            producer.send(new ProducerRecord<>(TOPIC, 0, "k", "first")).get();
            // Asked before there is a consumer, and waiting while the first attempt fails.
            var reached = tail.catchUp();
            tail.start();
            reached.get(60, TimeUnit.SECONDS);
            assertThat(applied).containsOnlyOnce("first");
            assertThat(failures).hasSize(1);
            assertThat(tail.isHealthy()).isTrue();
        }
    }

    @Test
    void shouldPassOverARecordAloneThatItsHandlerFailedAt() throws Exception {
        List<String> handled = new CopyOnWriteArrayList<>();
        try (var producer = producer(Map.of());
                var tail = new TopicTail(
                        TailSource.of(BOOTSTRAP, "tail-it-each", List.of(TOPIC)).quick(),
                        TopicTail.Sink.each(record -> {
                            String value = new String(record.value(), StandardCharsets.UTF_8);
                            if (value.equals("poison")) {
                                throw new IllegalStateException("on purpose, always");
                            }
                            handled.add(value);
                        }))) {
            tail.start();
            producer.send(new ProducerRecord<>(TOPIC, 1, "k", "poison"));
            producer.send(new ProducerRecord<>(TOPIC, 1, "k", "after it")).get();
            tail.catchUp().get(60, TimeUnit.SECONDS);
            assertThat(handled).containsOnlyOnce("after it").doesNotContain("poison");
        }
    }

    @Test
    void shouldSeeWhatComesToOnePartitionBeforeItIsCommitted() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (var producer = producer(Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "tail-it-open"));
                var tail = new TopicTail(
                        TailSource.of(BOOTSTRAP, "tail-it-open", List.of(TOPIC))
                                .atEndOf(2)
                                .uncommitted(),
                        TopicTail.Sink.each(record -> seen.add(new String(record.value(), StandardCharsets.UTF_8))))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(TOPIC, 2, "k", "before")).get();
            tail.start();
            tail.loaded().get(60, TimeUnit.SECONDS);
            producer.send(new ProducerRecord<>(TOPIC, 3, "k", "elsewhere")).get();
            producer.send(new ProducerRecord<>(TOPIC, 2, "k", "open")).get();
            await().atMost(30, TimeUnit.SECONDS).until(() -> seen.contains("open"));
            assertThat(seen).containsExactly("open");
            producer.abortTransaction();
        }
    }

    private static KafkaProducer<String, String> producer(Map<String, Object> more) {
        var config = new HashMap<>(more);
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, BOOTSTRAP);
        return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    }
}
