package io.sallyport.fanout.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.AlertKind;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.Registry;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.NodeStats;
import io.sallyport.proto.log.v1.SessionEntry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Control data in memory: the registries, and the index of sensors. Written by one tail, read by anybody. */
public final class ControlSink implements TopicTail.Sink, Registry {
    public static final List<String> TOPICS = List.of(
            Topics.MESSAGE_TYPES.name(),
            Topics.CUSTOMERS.name(),
            Topics.NODE_STATS.name(),
            Topics.ENDPOINT_METADATA.name(),
            Topics.SESSIONS.name());

    private final MetadataIndex index;
    private final Alerts alerts;
    private final Map<Integer, MessageTypeSpec> types = new ConcurrentHashMap<>();
    private final Map<String, Customer> customers = new ConcurrentHashMap<>();

    public ControlSink(MetadataIndex index, Alerts alerts) {
        this.index = index;
        this.alerts = alerts;
    }

    @Override
    public Optional<MessageTypeSpec> messageType(int number) {
        return Optional.ofNullable(types.get(number));
    }

    @Override
    public Optional<MessageTypeSpec> messageType(String name) {
        return types.values().stream()
                .filter(type -> type.getName().equals(name))
                .findAny();
    }

    @Override
    public boolean isActive(String customerId) {
        Customer customer = customers.get(customerId);
        return customer != null && !customer.getSuspended();
    }

    @Override
    public void apply(List<ConsumerRecord<byte[], byte[]>> records, Map<TopicPartition, Long> next) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            try {
                String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
                apply(record.topic(), key, record.value());
            } catch (InvalidProtocolBufferException | NumberFormatException e) {
                alerts.raise(
                        AlertKind.UNDECODABLE,
                        "%s partition %d offset %d cannot be read: %s"
                                .formatted(record.topic(), record.partition(), record.offset(), e.getMessage()));
            }
        }
    }

    private void apply(String topic, String key, byte[] value) throws InvalidProtocolBufferException {
        if (topic.equals(Topics.ENDPOINT_METADATA.name())) {
            metadata(key, value);
        } else if (topic.equals(Topics.SESSIONS.name())) {
            session(key, value);
        } else if (topic.equals(Topics.MESSAGE_TYPES.name())) {
            put(types, Integer.valueOf(key), value, MessageTypeSpec.parser());
        } else if (topic.equals(Topics.CUSTOMERS.name())) {
            put(customers, key, value, Customer.parser());
        } else if (value != null) {
            var stats = NodeStats.parseFrom(value);
            index.nodeSign(stats.getNode(), stats.getAtUs());
        }
    }

    private void metadata(String key, byte[] value) throws InvalidProtocolBufferException {
        int at = key.lastIndexOf('/');
        Optional<SensorKey> sensor = at < 0 ? Optional.empty() : SensorKey.fromTopicKey(key.substring(0, at));
        if (sensor.isEmpty()) {
            alerts.raise(AlertKind.UNDECODABLE, "endpoint-metadata has the key " + key);
        } else if (value == null) {
            index.retire(sensor.get(), Long.parseUnsignedLong(key.substring(at + 1)));
        } else {
            var metadata = EndpointMetadata.parseFrom(value);
            if (sensor.get().customerId().equals(metadata.getCustomerId())
                    && sensor.get().sensorId().equals(metadata.getSensorId())) {
                index.describe(sensor.get(), metadata);
            } else {
                alerts.raise(AlertKind.CROSS_TENANT, "endpoint-metadata of another sensor under the key " + key);
            }
        }
    }

    private void session(String key, byte[] value) throws InvalidProtocolBufferException {
        Optional<SensorKey> sensor = SensorKey.fromTopicKey(key);
        if (sensor.isEmpty()) {
            alerts.raise(AlertKind.UNDECODABLE, "sessions has the key " + key);
        } else if (value == null) {
            index.forgetSession(sensor.get());
        } else {
            index.session(sensor.get(), SessionEntry.parseFrom(value));
        }
    }

    private static <K, V extends MessageLite> void put(Map<K, V> map, K key, byte[] value, Parser<V> parser)
            throws InvalidProtocolBufferException {
        if (value == null) {
            map.remove(key);
        } else {
            map.put(key, parser.parseFrom(value));
        }
    }
}
