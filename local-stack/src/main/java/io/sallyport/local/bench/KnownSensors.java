package io.sallyport.local.bench;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.EndpointMetadata;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Registers many sensors at once, with the rows that the registration of each would write. */
final class KnownSensors {
    private KnownSensors() {}

    /** Registers {@code PREFIX0} and so on; durable when it returns. */
    static void register(String bootstrapServers, String customer, String prefix, int sensors) {
        int partitions = Topics.ENDPOINT_METADATA.partitions(TopicSizing.LOCAL);
        var failure = new AtomicReference<Exception>();
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.LINGER_MS_CONFIG,
                        20),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < sensors; i++) {
                var sensor = new SensorKey(customer, prefix + i);
                var row = EndpointMetadata.newBuilder()
                        .setCustomerId(customer)
                        .setSensorId(sensor.sensorId())
                        .setAtUs(System.currentTimeMillis() * 1_000)
                        .build();
                producer.send(
                        new ProducerRecord<>(
                                Topics.ENDPOINT_METADATA.name(),
                                Slots.partition(sensor, partitions),
                                (sensor.topicKey() + "/0").getBytes(StandardCharsets.UTF_8),
                                row.toByteArray()),
                        (written, problem) -> {
                            if (problem != null) {
                                failure.compareAndSet(null, problem);
                            }
                        });
            }
        }
        if (failure.get() != null) {
            throw new IllegalStateException("the sensors could not be registered", failure.get());
        }
    }
}
