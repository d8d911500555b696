package io.sallyport.normalizer.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.broker.KraftBroker;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.topics.TopicAdmin;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker of its own: a fence stops older generations for good. */
class FencesIT {
    private static final int GENERATION = 4;

    @TempDir
    private static Path dir;

    private KraftBroker broker;
    private KafkaProducer<byte[], byte[]> producer;

    @BeforeEach
    void aLog() throws Exception {
        broker = KraftBroker.start(dir, 0);
        try (var topics = new TopicAdmin(broker.bootstrapServers(), TopicSizing.LOCAL)) {
            topics.create();
        }
        producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    @AfterEach
    void close() {
        producer.close();
        broker.close();
    }

    private static Map<Integer, Long> begins(long offset) {
        return IntStream.range(0, TopicSizing.LOCAL.shardsMax())
                .boxed()
                .collect(Collectors.toMap(shard -> shard, shard -> offset));
    }

    private void state(int shard, int generation) throws Exception {
        var record = StructuredRecord.newBuilder()
                .setGeneration(GenerationRecord.newBuilder()
                        .setOrigin(Origin.newBuilder().setShard(shard).setGeneration(generation)))
                .build();
        producer.send(new ProducerRecord<>(Topics.STRUCTURED.name(), shard, new byte[] {'-'}, record.toByteArray()))
                .get();
    }

    @Test
    void shouldPlaceOneFenceInEachShardAndTakeEachAnswerOnce() throws Exception {
        for (int shard = 0; shard < 3; shard++) {
            producer.send(new ProducerRecord<>(Topics.RAW.name(), shard, new byte[] {'-'}, new byte[0]))
                    .get();
        }
        try (var fences = new Fences(broker.bootstrapServers());
                var other = new Fences(broker.bootstrapServers());
                var raw = new CommittedReader(broker.bootstrapServers(), "fences-it")) {
            Map<Integer, Fences.Placed> older = other.place(GENERATION - 1, begins(0));
            Map<Integer, Fences.Placed> placed = fences.place(GENERATION, begins(0));

            assertThat(placed.keySet()).isEqualTo(begins(0).keySet());
            assertThat(placed.values()).doesNotContainAnyElementsOf(older.values());
            assertThat(other.place(GENERATION, begins(0)))
                    .as("another operator, or the same one again")
                    .isEqualTo(placed);
            assertThat(StreamSupport.stream(
                                    raw.fromBeginning(Topics.RAW.name()).toEnd().spliterator(), false)
                            .count())
                    .isEqualTo(3 + 2 * placed.size());

            Fences.Answers answers = fences.answers(GENERATION, placed);
            assertThat(answers.look()).isEmpty();
            state(1, GENERATION - 1);
            state(1, GENERATION);
            state(6, GENERATION);
            state(1, GENERATION);
            var found = new TreeMap<Integer, Long>();
            answers.look().forEach(answer -> found.merge(answer.getOrigin().getShard(), 1L, Long::sum));
            assertThat(found).isEqualTo(Map.of(1, 1L, 6, 1L));
            assertThat(answers.open()).isEqualTo(placed.size() - 2);
            assertThat(answers.look()).isEmpty();
            for (int shard : placed.keySet()) {
                state(shard, GENERATION);
            }
            assertThat(answers.look())
                    .hasSize(placed.size() - 2)
                    .allSatisfy(
                            answer -> assertThat(answer.getOrigin().getShard()).isNotIn(1, 6));
            assertThat(answers.open()).isZero();
            assertThat(answers.look()).isEmpty();
        }
    }
}
