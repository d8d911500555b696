package io.sallyport.consumer.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Generations;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Takeovers as the topic `generations` tells them, for a reader that begins: their records may have left the log. A reader that
 * goes on meets them in `structured`.
 */
final class KnownTakeovers {
    private static final TopicPartition TOPIC = new TopicPartition(Topics.GENERATIONS.name(), 0);

    private final ConsumerSettings settings;

    KnownTakeovers(ConsumerSettings settings) {
        this.settings = settings;
    }

    /** Those of one shard, read now. */
    List<ShardTakeover> read(int shard) {
        Generations newest = Generations.getDefaultInstance();
        try (var reader = new CommittedReader(Clients.reading(settings))) {
            for (ConsumerRecord<byte[], byte[]> record :
                    reader.fromBeginning(List.of(TOPIC)).toEnd()) {
                newest = record.value() == null
                        ? Generations.getDefaultInstance()
                        : Generations.parseFrom(record.value());
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the topic " + TOPIC.topic() + " cannot be read", e);
        }
        return newest.getTakeoversList().stream()
                .filter(takeover -> takeover.getShard() == shard)
                .map(ShardTakeover::of)
                .toList();
    }
}
