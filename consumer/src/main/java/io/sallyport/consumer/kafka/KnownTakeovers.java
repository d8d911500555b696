package io.sallyport.consumer.kafka;

import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.envelope.topic.Topics;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Takeovers as the topic `generations` tells them, for a reader that begins, or lost part of the log: their records may have left
 * it. A reader that goes on meets them in `structured`.
 */
final class KnownTakeovers {
    private static final TopicPartition TOPIC = new TopicPartition(Topics.GENERATIONS.name(), 0);

    private final ConsumerSettings settings;

    KnownTakeovers(ConsumerSettings settings) {
        this.settings = settings;
    }

    /**
     * Those of one shard, read now.
     *
     * @throws org.apache.kafka.common.KafkaException where the topic cannot be read now
     */
    List<ShardTakeover> read(int shard) {
        KnownGenerations newest = KnownGenerations.FIRST;
        try (var reader = new CommittedReader(Clients.reading(settings))) {
            for (ConsumerRecord<byte[], byte[]> record :
                    reader.fromBeginning(List.of(TOPIC)).toEnd()) {
                newest = record.value() == null
                        ? KnownGenerations.FIRST
                        : KnownGenerations.parse(record.value())
                                .orElseThrow(() ->
                                        new IllegalStateException("the topic " + TOPIC.topic() + " cannot be read"));
            }
        }
        return newest.takeovers(shard);
    }
}
