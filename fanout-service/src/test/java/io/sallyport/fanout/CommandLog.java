package io.sallyport.fanout;

import com.google.protobuf.MessageLite;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Stands in for the services around: writes what gateway and router write, and reads what they would read. */
public final class CommandLog implements AutoCloseable {
    private final KafkaProducer<String, byte[]> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", TestBroker.shared().bootstrapServers(), "acks", "all", "linger.ms", 5),
            new StringSerializer(),
            new ByteArraySerializer());

    public void append(TopicSpec<?> topic, int partition, String key, MessageLite value) {
        producer.send(
                new ProducerRecord<>(topic.name(), partition, key, value == null ? null : value.toByteArray()),
                (metadata, failure) -> {
                    if (failure != null) {
                        throw new IllegalStateException(failure);
                    }
                });
    }

    public void flush() {
        producer.flush();
    }

    public void sensor(SensorKey sensor, long version, HostMetadata host) {
        append(
                Topics.ENDPOINT_METADATA,
                Slots.partition(sensor, TopicSizing.LOCAL.sensorPartitions()),
                sensor.topicKey() + "/" + version,
                EndpointMetadata.newBuilder()
                        .setCustomerId(sensor.customerId())
                        .setSensorId(sensor.sensorId())
                        .setVersion(version)
                        .setHost(host)
                        .setAtUs(1_000_000)
                        .build());
    }

    public void session(SensorKey sensor, long sessionId, boolean connected) {
        append(
                Topics.SESSIONS,
                Slots.partition(sensor, TopicSizing.LOCAL.sensorPartitions()),
                sensor.topicKey(),
                SessionEntry.newBuilder()
                        .setSessionId(sessionId)
                        .setState(connected ? SessionState.SESSION_CONNECTED : SessionState.SESSION_DISCONNECTED)
                        .setNode(7)
                        .setAtUs(2_000_000)
                        .build());
    }

    /** Every committed entry of the sensor queues that matches, in the order of each partition. */
    public static List<QueueEntry> entries(Predicate<QueueEntry> wanted) {
        return read(Topics.SENSOR_QUEUE).stream()
                .map(ConsumerRecord::value)
                .map(value -> {
                    try {
                        return QueueEntry.parseFrom(value);
                    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .filter(wanted)
                .toList();
    }

    public static List<QueueEntry> entries(String customer, String msgId) {
        return entries(entry ->
                entry.getCustomerId().equals(customer) && entry.getMsgId().equals(msgId));
    }

    /** Everything that is committed in a topic now. */
    public static List<ConsumerRecord<String, byte[]>> read(TopicSpec<?> topic) {
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        "bootstrap.servers",
                        TestBroker.shared().bootstrapServers(),
                        "isolation.level",
                        "read_committed",
                        "max.poll.records",
                        5_000),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic.name()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            var records = new ArrayList<ConsumerRecord<String, byte[]>>();
            while (!partitions.stream().allMatch(p -> consumer.position(p) >= ends.get(p))) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            return records;
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
