package io.sallyport.local.records;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.TopicSpec;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The current content of a compacted control topic. */
public final class Registry {
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
        try (var reader = new CommittedReader(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, LIMIT_MS))) {
            for (ConsumerRecord<byte[], byte[]> record :
                    reader.fromBeginning(topic.name()).toEnd()) {
                String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
                if (record.value() == null) {
                    values.remove(key);
                } else {
                    values.put(key, parser.parseFrom(record.value()));
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(topic.name() + " holds a record that does not decode", e);
        }
        return values;
    }
}
