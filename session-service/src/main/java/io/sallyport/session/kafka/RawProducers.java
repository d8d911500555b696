package io.sallyport.session.kafka;

import io.sallyport.envelope.topic.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Makes the producer of the raw log.
 *
 * @param bootstrapServers of the cluster
 * @param node ordinal, for the client's name
 * @param deliveryTimeout after which an append counts as failed
 * @param requestTimeout of one attempt
 * @param linger how long a record waits for company
 * @param maxRequestBytes largest record
 * @param bufferBytes room for everything that this node may hold, so that a send never waits for memory
 */
public record RawProducers(
        String bootstrapServers,
        int node,
        Duration deliveryTimeout,
        Duration requestTimeout,
        Duration linger,
        int maxRequestBytes,
        long bufferBytes) {

    /** A send waits for nothing but metadata, and for that not longer than a sensor waits for its answer. */
    private static final int MAX_BLOCK_MS = 3_000;

    /**
     * Room for the records of {@code heldBytes}: one batch buffer holds at least half of itself, and each partition may
     * have one that is just filling.
     */
    public static long bufferBytesFor(long heldBytes, int maxRequestBytes, int partitions) {
        return 2 * heldBytes + (partitions + 1L) * maxRequestBytes;
    }

    Producer<byte[], byte[]> create() {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        config.put(ProducerConfig.CLIENT_ID_CONFIG, "sallyport-raw-" + node);
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
        config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "none");
        config.put(ProducerConfig.LINGER_MS_CONFIG, (int) linger.toMillis());
        // One frame fits into one batch buffer, so that buffers of one size are used again instead of made anew.
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, maxRequestBytes);
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, maxRequestBytes);
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, bufferBytes);
        config.put(ProducerConfig.SEND_BUFFER_CONFIG, 1 << 20);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) deliveryTimeout.toMillis());
        config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) requestTimeout.toMillis());
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
        config.put(ProducerConfig.METADATA_MAX_AGE_CONFIG, 30_000);
        // The topic is never forgotten while idle: a send after a quiet hour must not wait for metadata.
        config.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, Integer.MAX_VALUE);
        config.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
        config.put(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, 500);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    String topic() {
        return Topics.RAW.name();
    }
}
