package io.sallyport.normalizer.replay;

import io.sallyport.envelope.topic.TopicSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownMemberIdException;

/** Questions to the brokers of a cell, by shard. */
final class Cell implements AutoCloseable {
    private static final long ANSWER_SECONDS = 30;

    private final Admin admin;

    Cell(String bootstrapServers) {
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                AdminClientConfig.CLIENT_ID_CONFIG,
                "sallyport-replay"));
    }

    private int shards(TopicSpec<?> topic) throws InterruptedException {
        TopicDescription found =
                get(admin.describeTopics(List.of(topic.name())).allTopicNames()).get(topic.name());
        if (found == null) {
            throw new KafkaException("there is no topic " + topic.name());
        }
        return found.partitions().size();
    }

    Map<Integer, Long> offsets(TopicSpec<?> topic, OffsetSpec which) throws InterruptedException {
        var asked = new HashMap<TopicPartition, OffsetSpec>();
        for (int shard = 0; shard < shards(topic); shard++) {
            asked.put(new TopicPartition(topic.name(), shard), which);
        }
        return get(admin.listOffsets(asked).all()).entrySet().stream()
                .collect(Collectors.toMap(
                        entry -> entry.getKey().partition(),
                        entry -> entry.getValue().offset()));
    }

    /** Next offset of each partition that the group has committed anything for. */
    Map<Integer, Long> committed(String group, TopicSpec<?> topic) throws InterruptedException {
        var found = new HashMap<Integer, Long>();
        get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    if (offset != null && partition.topic().equals(topic.name())) {
                        found.put(partition.partition(), offset.offset());
                    }
                });
        return found;
    }

    /**
     * Where a group begins. One that has members already is left alone: it reads from the earliest record, and passes over
     * what lies before its beginning.
     */
    void begin(String group, TopicSpec<?> topic, Map<Integer, Long> offsets) throws InterruptedException {
        var next = new HashMap<TopicPartition, OffsetAndMetadata>();
        offsets.forEach(
                (shard, offset) -> next.put(new TopicPartition(topic.name(), shard), new OffsetAndMetadata(offset)));
        try {
            get(admin.alterConsumerGroupOffsets(group, next).all());
        } catch (KafkaException e) {
            if (!(e.getCause() instanceof UnknownMemberIdException)) {
                throw e;
            }
        }
    }

    private static <T> T get(KafkaFuture<T> future) throws InterruptedException {
        try {
            return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new KafkaException("Kafka did not answer as it should: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new KafkaException("Kafka does not answer", e);
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
