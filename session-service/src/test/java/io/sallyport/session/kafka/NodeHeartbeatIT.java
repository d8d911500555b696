package io.sallyport.session.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CustomerUsage;
import io.sallyport.proto.log.v1.NodeStats;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.session.core.TenantFlow;
import io.sallyport.tracing.CommandTraces;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** What a node and the command router tell each other besides answers. */
class NodeHeartbeatIT {
    private static final String BROKER = TestBroker.shared().bootstrapServers();
    private static final int NODE = 6;
    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    void shouldGiveSignsOfLifeWithItsStartAndItsSessions() {
        var seen = new ConcurrentHashMap<String, NodeStats>();
        var sink = new TopicView.Sink<NodeStats>() {
            @Override
            public void put(String key, NodeStats value) {
                seen.put(key, value);
            }

            @Override
            public void remove(String key) {
                seen.remove(key);
            }
        };
        try (var producer = new ControlProducer(BROKER, NODE, List.of(Topics.NODE_STATS), new SimpleMeterRegistry());
                var data = new KafkaControlData(BROKER, NODE);
                var heartbeat = new NodeHeartbeat(NODE, producer, () -> 17, data, () -> 5_000_000L);
                var view = new TopicView<>(Topics.NODE_STATS, BROKER, "heartbeat-test", sink)) {
            producer.start();
            data.start();
            await().atMost(SOON).until(data::isLoaded);
            data.usage().counter("acme").add(1_000, 0);
            heartbeat.start();
            view.start();

            await().atMost(SOON).until(() -> seen.containsKey("6"));
            assertThat(seen.get("6"))
                    .isEqualTo(NodeStats.newBuilder()
                            .setNode(NODE)
                            .setSessions(17)
                            .setAtUs(5_000_000L)
                            .setStartedAtUs(5_000_000L)
                            .addUsage(CustomerUsage.newBuilder()
                                    .setCustomerId("acme")
                                    .setBytes(1_000))
                            .build());
        }
        // A restarted node goes on from there, and the others add it to their own.
        for (int node : new int[] {NODE, NODE + 1}) {
            try (var again = new KafkaControlData(BROKER, node)) {
                again.start();
                await().atMost(SOON).until(again::isLoaded);
                assertThat(again.usage().total("acme", 0)).isEqualTo(1_000);
            }
        }
    }

    @Test
    void shouldShareACustomersRateWithTheOtherNodes() {
        TenantFlow.Rate cell = new TenantFlow.Rate(1_000_000, 1_000_000);
        LongSupplier clockUs = () -> System.currentTimeMillis() * 1_000;
        try (var producer = new ControlProducer(BROKER, 4, List.of(Topics.NODE_STATS), new SimpleMeterRegistry());
                var one = new KafkaControlData(BROKER, 4);
                var two = new KafkaControlData(BROKER, 5);
                var first = new NodeHeartbeat(4, producer, () -> 1, one, clockUs);
                var second = new NodeHeartbeat(5, producer, () -> 1, two, clockUs)) {
            producer.start();
            one.start();
            two.start();
            await().atMost(SOON).until(() -> one.isLoaded() && two.isLoaded());
            var greedy = new TenantFlow(cell, LinkLimits.DEFAULTS, System.nanoTime());
            greedy.join("s-1", System.nanoTime()).charge(50_000_000, 1, System.nanoTime());
            one.demand().measure("quota-acme", greedy);
            var idle = new TenantFlow(cell, LinkLimits.DEFAULTS, System.nanoTime());
            idle.join("s-2", System.nanoTime());
            two.demand().measure("quota-acme", idle);
            first.start();
            second.start();

            await().atMost(SOON).untilAsserted(() -> {
                assertThat(one.demand().share("quota-acme", 1, cell, nowMs())).isEqualTo(1);
                assertThat(two.demand().share("quota-acme", 1, cell, nowMs())).isEqualTo(0.5);
            });
        }
    }

    private static long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    @Test
    void shouldReceiveAPushBeforeItsTransactionEnds() {
        var sensor = new SensorKey("acme", "early-push");
        long session = SessionId.of(1_000, NODE, 0);
        var received = new CopyOnWriteArrayList<SessionPush>();
        try (var producer = new ControlProducer(BROKER, NODE, List.of(), new SimpleMeterRegistry());
                var link = new KafkaCommandLink(BROKER, NODE, TopicSizing.LOCAL, producer, CommandTraces.NONE);
                var router = new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                BROKER,
                                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                                "early-push-test"),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            link.onPush(received::add);
            link.start();
            await().atMost(SOON).until(link::isReady);
            router.initTransactions();
            router.beginTransaction();
            router.send(new ProducerRecord<>(
                    Topics.SESSION_PUSH.name(),
                    NODE,
                    sensor.topicKeyBytes(),
                    SessionPush.newBuilder().setSessionId(session).build().toByteArray()));
            router.flush();

            await().atMost(SOON).until(() -> received.size() == 1);
            router.abortTransaction();
        }
        assertThat(received.get(0).getSessionId()).isEqualTo(session);
    }
}
