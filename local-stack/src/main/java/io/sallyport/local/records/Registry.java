package io.sallyport.local.records;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.sallyport.envelope.topic.TopicSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The current content of a compacted control topic of one partition. */
public final class Registry {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int LIMIT_MS = 15_000;

    private Registry() {}

    /**
     * Reads the topic to its end; the newest value of each key, without those that were removed.
     *
     * @throws org.apache.kafka.common.errors.TimeoutException where the broker does not answer
     */
    public static <V extends MessageLite> Map<String, V> read(String bootstrapServers, TopicSpec<V> topic) {
        var values = new TreeMap<String, V>();
        var parser = topic.value().orElseThrow();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, LIMIT_MS),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            var partition = new TopicPartition(topic.name(), 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
                    if (record.value() == null) {
                        values.remove(key);
                    } else {
                        values.put(key, parser.parseFrom(record.value()));
                    }
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(topic.name() + " holds a record that does not decode", e);
        }
        return values;
    }
}
