package io.sallyport.router;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CommandOutcome;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.MessageBody;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.NodeStats;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.proto.log.v1.SessionState;
import io.sallyport.router.core.Entries;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Everything around the router: fan-out's entries and bodies, the authority's directory, and gateways with sensors that
 * answer what they are pushed. A sensor applies a message once and answers a repeat again.
 */
final class TestFleet implements AutoCloseable {
    private static final TopicSizing SIZING = TopicSizing.LOCAL;

    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> pushes;
    private final Thread gateways;
    private final Map<SensorKey, Long> sessions = new ConcurrentHashMap<>();
    private final Map<SensorKey, List<SessionPush>> received = new ConcurrentHashMap<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private volatile Function<SessionPush, CommandOutcome> sensor = push -> CommandOutcome.COMMAND_ACKED;
    private volatile boolean running = true;

    TestFleet(String bootstrapServers) {
        producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers, ProducerConfig.LINGER_MS_CONFIG, 0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        pushes = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "latest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> nodes = IntStream.range(0, Topics.SESSION_PUSH.partitions(SIZING))
                .mapToObj(node -> new TopicPartition(Topics.SESSION_PUSH.name(), node))
                .toList();
        pushes.assign(nodes);
        pushes.seekToEnd(nodes);
        nodes.forEach(pushes::position);
        gateways = new Thread(this::serve, "test-gateways");
        gateways.start();
    }

    /** What a sensor answers; null: nothing. */
    void answering(Function<SessionPush, CommandOutcome> how) {
        sensor = how;
    }

    long connect(SensorKey key, int node) {
        long session = SessionId.of(
                Math.max(System.currentTimeMillis(), SessionId.ms(sessions.getOrDefault(key, 0L)) + 1), node, 0);
        sessions.put(key, session);
        directory(key, session, SessionState.SESSION_CONNECTED);
        return session;
    }

    void directory(SensorKey key, long session, SessionState state) {
        send(
                Topics.SESSIONS,
                key,
                SessionEntry.newBuilder()
                        .setSessionId(session)
                        .setNode(SessionId.node(session))
                        .setState(state)
                        .setEpoch(1)
                        .build());
    }

    void body(String customerId, String msgId, String payload) {
        body(customerId, msgId, customerId, payload);
    }

    /** @param claimed the customer that the record itself names */
    void body(String customerId, String msgId, String claimed, String payload) {
        var key = new MessageKey(customerId, msgId);
        await(producer.send(new ProducerRecord<>(
                Topics.MESSAGE_BODIES.name(),
                Slots.customerPartition(customerId, Topics.MESSAGE_BODIES.partitions(SIZING)),
                key.topicKeyBytes(),
                MessageBody.newBuilder()
                        .setCustomerId(claimed)
                        .setMsgId(msgId)
                        .setPayload(ByteString.copyFromUtf8(payload))
                        .build()
                        .toByteArray())));
    }

    void type(MessageTypeSpec type) {
        control(Topics.MESSAGE_TYPES, type.getNumber(), type);
    }

    void node(NodeStats node) {
        control(Topics.NODE_STATS, node.getNode(), node);
    }

    private void control(TopicSpec<?> topic, int key, MessageLite value) {
        await(producer.send(new ProducerRecord<>(
                topic.name(), 0, Integer.toString(key).getBytes(StandardCharsets.UTF_8), value.toByteArray())));
    }

    /** An entry as accepted now. */
    Future<RecordMetadata> enter(SensorKey key, QueueEntry.Builder entry) {
        long nowUs = System.currentTimeMillis() * 1_000;
        return send(
                Topics.SENSOR_QUEUE,
                key,
                entry.setCustomerId(key.customerId())
                        .setSensorId(key.sensorId())
                        .setPrincipal(
                                Entries.OPERATOR.toBuilder().clearCustomers().addCustomers(key.customerId()))
                        .setAcceptedAtUs(nowUs)
                        .setExpiresAtUs(nowUs + Entries.us(Duration.ofHours(1)))
                        .build());
    }

    Future<RecordMetadata> send(TopicSpec<?> topic, SensorKey key, MessageLite value) {
        return producer.send(new ProducerRecord<>(
                topic.name(),
                Slots.partition(key, topic.partitions(SIZING)),
                key.topicKeyBytes(),
                value.toByteArray()));
    }

    /** What a sensor was handed, repeats included, in order. */
    List<SessionPush> received(SensorKey key) {
        return received.getOrDefault(key, List.of());
    }

    List<String> receivedIds(SensorKey key) {
        return received(key).stream().map(push -> push.getMessage().getMsgId()).toList();
    }

    void flush() {
        producer.flush();
    }

    static void await(Collection<Future<RecordMetadata>> sent) {
        sent.forEach(TestFleet::await);
    }

    private static void await(Future<RecordMetadata> sent) {
        try {
            sent.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve() {
        while (running) {
            for (ConsumerRecord<byte[], byte[]> record : pushes.poll(Duration.ofMillis(50))) {
                try {
                    receive(SessionPush.parseFrom(record.value()), record.partition());
                } catch (InvalidProtocolBufferException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        pushes.close();
    }

    private void receive(SessionPush push, int node) {
        var key = new SensorKey(push.getCustomerId(), push.getSensorId());
        if (sessions.getOrDefault(key, 0L) != push.getSessionId() || SessionId.node(push.getSessionId()) != node) {
            return;
        }
        received.computeIfAbsent(key, sensorKey -> new CopyOnWriteArrayList<>()).add(push);
        seen.add(key + "/" + push.getMessage().getMsgId());
        CommandOutcome outcome = sensor.apply(push);
        if (outcome != null) {
            send(
                    Topics.COMMAND_RESULTS,
                    key,
                    CommandResult.newBuilder()
                            .setCustomerId(key.customerId())
                            .setSensorId(key.sensorId())
                            .setSessionId(push.getSessionId())
                            .setMsgId(push.getMessage().getMsgId())
                            .setOutcome(outcome)
                            .build());
        }
    }

    /** How many (sensor, message) pairs have been handed over at least once. */
    int distinctDeliveries() {
        return seen.size();
    }

    static List<SensorKey> sensors(String prefix, int count) {
        var sensors = new ArrayList<SensorKey>();
        for (int i = 0; i < count; i++) {
            sensors.add(new SensorKey("acme", prefix + i));
        }
        return sensors;
    }

    @Override
    public void close() {
        running = false;
        try {
            gateways.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close();
    }
}
