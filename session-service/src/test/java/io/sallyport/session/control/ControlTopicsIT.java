package io.sallyport.session.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.log.v1.CellAssignment;
import io.sallyport.proto.log.v1.CommandOutcome;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.session.core.CustomerStanding;
import io.sallyport.session.kafka.ControlProducer;
import io.sallyport.session.kafka.KafkaCommandLink;
import io.sallyport.session.kafka.KafkaControlData;
import io.sallyport.tracing.CommandTraces;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ControlTopicsIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();
    private static final int NODE = 3;

    private final KafkaProducer<byte[], byte[]> writer = new KafkaProducer<>(
            Map.of("bootstrap.servers", (Object) BOOTSTRAP), new ByteArraySerializer(), new ByteArraySerializer());

    @AfterEach
    void close() {
        writer.close();
    }

    @Test
    void shouldFollowCustomersAndTheirCells() throws Exception {
        try (var data = new KafkaControlData(BOOTSTRAP, NODE)) {
            assertThat(data.isLoaded()).isFalse();
            data.start();
            Awaitility.await().until(data::isLoaded);
            assertThat(isActive(data, "acme")).isTrue();
            assertThat(isActive(data, "initech")).isFalse();

            write(Topics.CUSTOMERS.name(), 0, "initech", customer(false));
            Awaitility.await().until(() -> isActive(data, "initech"));
            // Unreadable: what is known stays.
            write(Topics.CUSTOMERS.name(), 0, "initech", new byte[] {(byte) 0xFF});
            write(Topics.CUSTOMERS.name(), 0, "hooli", customer(false));
            Awaitility.await().until(() -> isActive(data, "hooli"));
            assertThat(isActive(data, "initech")).isTrue();
            write(Topics.CUSTOMERS.name(), 0, "initech", customer(true));
            Awaitility.await().until(() -> !isActive(data, "initech"));
            write(Topics.CUSTOMERS.name(), 0, "hooli", null);
            Awaitility.await().until(() -> !isActive(data, "hooli"));

            var cell = CellAssignment.newBuilder()
                    .setCustomerId("hooli")
                    .setCell("cell-2")
                    .setEndpoint("cell-2.example:7443");
            write(Topics.CELLS.name(), 0, "hooli", cell.build().toByteArray());
            Awaitility.await().until(() -> data.movedTo("hooli").isPresent());
            assertThat(data.movedTo("hooli")).contains("cell-2.example:7443");
            write(Topics.CELLS.name(), 0, "hooli", null);
            Awaitility.await().until(() -> data.movedTo("hooli").isEmpty());
        }
    }

    @Test
    void shouldDeliverThePushesOfItsOwnNodeAndPublishWhatSensorsAnswer() throws Exception {
        var sensor = new SensorKey("acme", "command-link");
        var producer = new ControlProducer(
                BOOTSTRAP, NODE, List.of(Topics.COMMAND_RESULTS, Topics.ENDPOINT_METADATA), new SimpleMeterRegistry());
        try (producer;
                var link = new KafkaCommandLink(BOOTSTRAP, NODE, TopicSizing.LOCAL, producer, CommandTraces.NONE)) {
            var received = new CopyOnWriteArrayList<SessionPush>();
            link.onPush(received::add);
            producer.start();
            link.start();
            Awaitility.await().until(() -> link.isReady() && producer.isReady());

            write(Topics.SESSION_PUSH.name(), NODE + 1, sensor.topicKey(), push(1));
            write(Topics.SESSION_PUSH.name(), NODE, sensor.topicKey(), new byte[] {(byte) 0xFF});
            write(Topics.SESSION_PUSH.name(), NODE, sensor.topicKey(), push(2));
            Awaitility.await().until(() -> !received.isEmpty());
            assertThat(received).extracting(SessionPush::getSessionId).containsExactly(2L);

            link.result(
                    sensor,
                    CommandResult.newBuilder()
                            .setMsgId("m-1")
                            .setOutcome(CommandOutcome.COMMAND_ACKED)
                            .build());
            Awaitility.await()
                    .untilAsserted(() -> assertThat(
                                    TopicContents.of(BOOTSTRAP, Topics.COMMAND_RESULTS, sensor.topicKey()::equals))
                            .extracting(CommandResult::getMsgId)
                            .containsExactly("m-1"));

            link.metadata(sensor, metadata(1, "a", "b"));
            link.metadata(sensor, metadata(2, "b", "a"));
            link.metadata(sensor, metadata(3, "a", "c"));
            Awaitility.await()
                    .untilAsserted(() -> assertThat(TopicContents.of(
                                    BOOTSTRAP,
                                    Topics.ENDPOINT_METADATA,
                                    key -> key.startsWith(sensor.topicKey() + "/")))
                            .extracting(EndpointMetadata::getVersion)
                            .containsExactlyInAnyOrder(1L, 3L));
        }
    }

    private void write(String topic, int partition, String key, byte @Nullable [] value) throws Exception {
        writer.send(new ProducerRecord<>(topic, partition, key.getBytes(StandardCharsets.UTF_8), value))
                .get(20, TimeUnit.SECONDS);
    }

    private static byte[] customer(boolean suspended) {
        return Customer.newBuilder().setSuspended(suspended).build().toByteArray();
    }

    private static byte[] push(long sessionId) {
        return SessionPush.newBuilder().setSessionId(sessionId).build().toByteArray();
    }

    /** Two tags, in the given order. */
    private static EndpointMetadata metadata(long version, String tag, String other) {
        return EndpointMetadata.newBuilder()
                .setVersion(version)
                .setHost(HostMetadata.newBuilder()
                        .setHostname("h")
                        .putTags(tag, "1")
                        .putTags(other, "1"))
                .build();
    }

    private static boolean isActive(KafkaControlData data, String customer) {
        return data.standing(customer) == CustomerStanding.ACTIVE;
    }
}
