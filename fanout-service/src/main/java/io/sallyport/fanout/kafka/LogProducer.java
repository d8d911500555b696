package io.sallyport.fanout.kafka;

import com.google.protobuf.MessageLite;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.Keys;
import io.sallyport.proto.log.v1.AuditRecord;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.SegmentChunk;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * What the edges append: requests, registrations and segments. Each append completes when all in-sync replicas have
 * it, or fails within the delivery timeout. Thread-safe.
 */
public final class LogProducer implements AutoCloseable {
    private final KafkaProducer<String, byte[]> producer;
    private final TopicSizing sizing;

    public LogProducer(String bootstrapServers, TopicSizing sizing, Duration deliveryTimeout) {
        this.sizing = sizing;
        this.producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.CLIENT_ID_CONFIG,
                        "fanout-log",
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                        true,
                        ProducerConfig.LINGER_MS_CONFIG,
                        0,
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                        Topics.INGRESS.maxMessageBytes(),
                        ProducerConfig.MAX_BLOCK_MS_CONFIG,
                        deliveryTimeout.toMillis(),
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        (int) deliveryTimeout.toMillis(),
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        (int) Math.max(1_000, deliveryTimeout.toMillis() / 2)),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    public CompletableFuture<Void> request(String customerId, IngressRecord record) {
        int partition = Slots.customerPartition(customerId, Topics.INGRESS.partitions(sizing));
        return append(Topics.INGRESS, partition, customerId, record);
    }

    /** Version 0 of a sensor's metadata: known, and nothing more. */
    public CompletableFuture<Void> register(SensorKey sensor, long nowUs) {
        var metadata = EndpointMetadata.newBuilder()
                .setCustomerId(sensor.customerId())
                .setSensorId(sensor.sensorId())
                .setAtUs(nowUs)
                .build();
        int partition = Slots.partition(sensor, Topics.ENDPOINT_METADATA.partitions(sizing));
        return append(Topics.ENDPOINT_METADATA, partition, sensor.topicKey() + "/0", metadata);
    }

    public CompletableFuture<Void> segment(SegmentChunk chunk) {
        return append(Topics.SEGMENTS, 0, key(chunk), chunk);
    }

    /** Deletes one chunk of a version that a newer one has replaced. */
    public CompletableFuture<Void> dropSegmentChunk(String customerId, String name, long version, int chunk) {
        return append(Topics.SEGMENTS, 0, Keys.segmentChunk(customerId, name, version, chunk), null);
    }

    public CompletableFuture<Void> audit(AuditRecord record) {
        int partition = Slots.customerPartition(record.getCustomerId(), Topics.AUDIT.partitions(sizing));
        return append(Topics.AUDIT, partition, record.getCustomerId(), record);
    }

    private static String key(SegmentChunk chunk) {
        return Keys.segmentChunk(chunk.getCustomerId(), chunk.getName(), chunk.getVersion(), chunk.getChunk());
    }

    private CompletableFuture<Void> append(TopicSpec<?> topic, int partition, String key, @Nullable MessageLite value) {
        var done = new CompletableFuture<Void>();
        try {
            producer.send(
                    new ProducerRecord<>(topic.name(), partition, key, value == null ? null : value.toByteArray()),
                    (metadata, failure) -> {
                        if (failure == null) {
                            done.complete(null);
                        } else {
                            done.completeExceptionally(failure);
                        }
                    });
        } catch (RuntimeException e) {
            // Buffer full or metadata missing for the whole time that an append may take.
            done.completeExceptionally(e);
        }
        return done;
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
