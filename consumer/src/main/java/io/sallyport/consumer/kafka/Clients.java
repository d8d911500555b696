package io.sallyport.consumer.kafka;

import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.envelope.topic.Topics;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's clients with the settings that the promises hang on. */
final class Clients {
    /** What one poll may bring into memory; a record is at most 1 MiB. */
    private static final int FETCH_BYTES = 16 << 20;

    private static final int POLL_RECORDS = 500;

    private Clients() {}

    static Consumer<byte[], byte[]> consumer(ConsumerSettings settings) {
        var config = new HashMap<String, Object>();
        config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLL_RECORDS);
        // A member that comes or goes stops nobody else.
        config.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        // The new protocol assigns at the broker, and refuses the setting.
        if ("consumer".equals(settings.client().get(ConsumerConfig.GROUP_PROTOCOL_CONFIG))) {
            config.remove(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        }
        config.putAll(settings.client());
        config.put(ConsumerConfig.GROUP_ID_CONFIG, settings.group());
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        // What retention took must be told, not jumped over.
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** What a reader without a group needs to reach the brokers. */
    static Map<String, Object> reading(ConsumerSettings settings) {
        Map<String, Object> config = new HashMap<>(settings.client());
        config.keySet().removeIf(name -> name.startsWith("group."));
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        return config;
    }

    static Producer<byte[], byte[]> producer(ConsumerSettings settings, String transactionalId) {
        var config = new HashMap<String, Object>(settings.client());
        // Both clients are reached in the same way, but a consumer's own settings mean nothing here.
        config.keySet().retainAll(ProducerConfig.configNames());
        config.remove(ProducerConfig.CLIENT_ID_CONFIG);
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Topics.DEAD_LETTERS.maxMessageBytes());
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 4L * Topics.DEAD_LETTERS.maxMessageBytes());
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }
}
