package io.sallyport.session.control;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.sallyport.envelope.topic.TopicSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The committed records of some keys, oldest first. */
public final class TopicContents {
    private TopicContents() {}

    public static <V extends MessageLite> List<V> of(String bootstrapServers, TopicSpec<V> topic, Predicate<String> key)
            throws InvalidProtocolBufferException {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "isolation.level",
                "read_committed",
                // A close waits for the fetch that is under way.
                "fetch.max.wait.ms",
                20);
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partitions = consumer.partitionsFor(topic.name()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            var values = new ArrayList<V>();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    if (key.test(new String(record.key(), StandardCharsets.UTF_8))) {
                        values.add(topic.value().orElseThrow().parseFrom(record.value()));
                    }
                }
            }
            return values;
        }
    }
}
