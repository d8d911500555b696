package io.sallyport.fanout;

import com.google.protobuf.MessageLite;
import io.sallyport.broker.CommittedLog;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.Keys;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.proto.log.v1.TargetStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Stands in for the services around: writes what gateway and router write, and reads what they would read. */
public final class CommandLog implements AutoCloseable {
    private static final Map<String, Reader> READ = new ConcurrentHashMap<>();

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

    /** Sensors {@code prefix0}, {@code prefix1}, ... that say the same of their hosts, and of which suite they are. */
    public void fleet(String customer, String prefix, int count, String suite) {
        for (int i = 0; i < count; i++) {
            sensor(
                    new SensorKey(customer, prefix + i),
                    1_000 + i,
                    HostMetadata.newBuilder()
                            .setOsFamily("linux")
                            .setOsVersion("4." + i)
                            .setHostname("host-" + i)
                            .putTags("suite", suite)
                            .putTags("n", Integer.toString(i))
                            .build());
        }
        flush();
    }

    /** What the router would say: the counts of its one task. */
    public void counts(StatusPartial partial) {
        append(
                Topics.MESSAGE_STATUS,
                customerPartition(partial.getCustomerId()),
                Keys.partial(partial.getCustomerId(), partial.getMsgId(), partial.getTask()),
                partial);
    }

    public void target(TargetStatus status) {
        append(
                Topics.TARGET_STATUS,
                customerPartition(status.getCustomerId()),
                Keys.target(status.getCustomerId(), status.getMsgId(), status.getSensorId()),
                status);
    }

    public static int customerPartition(String customer) {
        return Slots.customerPartition(customer, TopicSizing.LOCAL.sensorPartitions());
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
        return READ.computeIfAbsent(topic.name(), Reader::new).toTheEnd();
    }

    /** A topic is read once: each look goes on where the last one ended. */
    private static final class Reader {
        private final CommittedLog log;
        private final List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();

        Reader(String topic) {
            log = new CommittedLog(TestBroker.shared().bootstrapServers(), topic);
        }

        synchronized List<ConsumerRecord<String, byte[]>> toTheEnd() {
            log.readOn().forEach(record -> records.add(withText(record)));
            return List.copyOf(records);
        }

        private static ConsumerRecord<String, byte[]> withText(ConsumerRecord<byte[], byte[]> record) {
            return new ConsumerRecord<>(
                    record.topic(),
                    record.partition(),
                    record.offset(),
                    record.key() == null ? null : new String(record.key(), StandardCharsets.UTF_8),
                    record.value());
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
