package io.sallyport.fanout.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.alerts.Alerts;
import io.sallyport.fanout.core.Decider;
import io.sallyport.fanout.core.FanoutLimits;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.SeededRegistry;
import io.sallyport.fanout.core.TargetResolver;
import io.sallyport.fanout.selector.AntlrSelectorParser;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.CancelMessage;
import io.sallyport.proto.log.v1.CloudMessage;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.Target;
import io.sallyport.tracing.CommandTraces;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans become entries in the decider's task, one customer's in order, with cancellations in between. */
class DeciderTopologyTest {
    private static final Instant START = Instant.parse("2026-11-30T10:00:00Z");
    private static final int FLEET = 12_500;

    private final MetadataIndex index = new MetadataIndex();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Map<String, List<String>> segments = new HashMap<>();
    private final Map<String, List<QueueEntry>> entries = new HashMap<>();
    private TopologyTestDriver driver;
    private TestInputTopic<String, byte[]> ingress;
    /** Of every look that is asked for. */
    private CompletableFuture<Boolean> upToDate = CompletableFuture.completedFuture(true);

    private int requests;

    @TempDir
    Path dir;

    @BeforeEach
    void start() {
        for (int i = 0; i < FLEET; i++) {
            for (String customer : List.of("acme", "globex")) {
                if (customer.equals("acme") || i < 100) {
                    index.describe(
                            new SensorKey(customer, "s-" + i),
                            EndpointMetadata.newBuilder()
                                    .setVersion(1)
                                    .setHost(HostMetadata.newBuilder().setOsFamily("linux"))
                                    .build());
                }
            }
        }
        var resolver = new TargetResolver(
                new AntlrSelectorParser(), index, (customer, name) -> Optional.ofNullable(segments.get(name)));
        var decider = new Decider(FanoutLimits.DEFAULTS, new SeededRegistry(), resolver);
        var config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "decider-test");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        config.put(StreamsConfig.STATE_DIR_CONFIG, dir.toString());
        driver = new TopologyTestDriver(
                DeciderTopology.build(() -> new DeciderProcessor(
                        decider, () -> upToDate, 1, new DeciderMeters(meters, new Alerts(meters), CommandTraces.NONE))),
                config,
                START);
        ingress = driver.createInputTopic(
                Topics.INGRESS.name(), new StringSerializer(), new ByteArraySerializer(), START, Duration.ZERO);
    }

    @AfterEach
    void stop() {
        driver.close();
    }

    @Test
    void shouldLetNoLaterMessageOfALaneOvertakeALargeOne() {
        publish("acme", "isolate", MessageType.RESPONSE_ACTION, FLEET);
        publish("acme", "release", MessageType.RESPONSE_ACTION, 1);
        publish("acme", "policy", MessageType.CONFIG_UPDATE, 1);
        publish("globex", "isolate", MessageType.RESPONSE_ACTION, 1);

        read();
        // Other lanes and other customers do not wait; the same lane does.
        assertThat(msgIds("acme", "s-0")).containsExactly("policy");
        assertThat(msgIds("globex", "s-0")).containsExactly("isolate");
        pass();
        for (int i = 0; i < FLEET; i++) {
            assertThat(msgIds("acme", "s-" + i).stream().filter(id -> !id.equals("policy")))
                    .containsExactlyElementsOf(i == 0 ? List.of("isolate", "release") : List.of("isolate"));
        }
    }

    @Test
    void shouldWriteNothingNewOnceAMessageIsCancelledAndWithdrawEachTarget() {
        publish("acme", "wrong", MessageType.RESPONSE_ACTION, FLEET);
        driver.advanceWallClockTime(Duration.ofMillis(5));
        read();
        assertThat(entries.values().stream().mapToInt(List::size).sum()).isEqualTo(4_000);

        cancel("acme", "wrong");
        cancel("acme", "wrong");
        pass();
        int queued = 0;
        for (int i = 0; i < FLEET; i++) {
            List<QueueEntry> ofSensor = entries.get("acme/s-" + i);
            QueueEntry last = ofSensor.get(ofSensor.size() - 1);
            assertThat(last.getCancelRevision()).isPositive();
            queued += ofSensor.size() - 1;
            assertThat(ofSensor.size()).isLessThanOrEqualTo(2);
        }
        assertThat(queued).isEqualTo(4_000);
    }

    /** Publishes and cancellations of two customers, of any size, with any time between them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldKeepOrderAndCompletenessInAnySchedule(int seed) {
        var random = new Random(seed);
        var sizes = new HashMap<String, Integer>();
        var cancelled = new ArrayList<String>();
        for (int i = 0; i < 12; i++) {
            String customer = random.nextInt(3) == 0 ? "globex" : "acme";
            String msgId = "m-" + i;
            int size = customer.equals("globex")
                    ? 1 + random.nextInt(99)
                    : random.nextBoolean() ? 1 : 1 + random.nextInt(5_000);
            MessageType type = random.nextBoolean() ? MessageType.RESPONSE_ACTION : MessageType.CONFIG_UPDATE;
            publish(customer, msgId, type, size);
            sizes.put(customer + "/" + msgId, size);
            if (random.nextInt(4) == 0) {
                cancel(customer, msgId);
                cancelled.add(customer + "/" + msgId);
            }
            if (random.nextBoolean()) {
                driver.advanceWallClockTime(Duration.ofMillis(random.nextInt(15)));
            }
        }
        pass();
        var reached = new HashMap<String, Integer>();
        entries.forEach((sensor, queue) -> {
            var last = new HashMap<Integer, Long>();
            for (QueueEntry entry : queue) {
                String message = entry.getCustomerId() + "/" + entry.getMsgId();
                if (entry.getCancelRevision() == 0) {
                    Long before = last.put(entry.getType(), entry.getRevision());
                    assertThat(before == null || before < entry.getRevision())
                            .as("%s seed %d", sensor, seed)
                            .isTrue();
                }
                if (cancelled.contains(message) == (entry.getCancelRevision() != 0)) {
                    reached.merge(message, 1, Integer::sum);
                }
            }
        });
        assertThat(reached).as("seed %d", seed).isEqualTo(sizes);
    }

    @Test
    void shouldSayOnlyOnceWhatIsRefusedAndForgetIt() throws Exception {
        publish("acme", "none", MessageType.CONFIG_UPDATE, FLEET + 1);
        pass();
        var decisions = records(Topics.MESSAGE_DECISIONS);
        assertThat(decisions).hasSize(2);
        MessageDecision refused = MessageDecision.parseFrom(decisions.get(0).value());
        assertThat(refused.getAccepted()).isFalse();
        assertThat(refused.getAnswer().getCode()).isEqualTo("UNKNOWN_SENSOR");
        assertThat(decisions.get(1).value()).isNull();
        assertThat(records(Topics.MESSAGE_BODIES)).isEmpty();
        assertThat(records(Topics.FANOUT_PLANS)).isEmpty();
    }

    @Test
    void shouldForgetAMessageAMonthAfterItsExpiry() {
        publish("acme", "old", MessageType.CONFIG_UPDATE, 1);
        driver.advanceWallClockTime(Duration.ofDays(30));
        assertThat(records(Topics.MESSAGE_DECISIONS)).hasSize(1);
        driver.advanceWallClockTime(Duration.ofDays(3));
        var decisions = records(Topics.MESSAGE_DECISIONS);
        assertThat(decisions).hasSize(1);
        assertThat(decisions.get(0).key()).isEqualTo("acme/old");
        assertThat(decisions.get(0).value()).isNull();
    }

    @Test
    void shouldStepOverWhatIsNoRequest() {
        ingress.pipeInput("acme", new byte[] {1, 2, 3});
        ingress.pipeInput("acme", new byte[0]);
        ingress.pipeInput("a b", new byte[0]);
        ingress.pipeInput(null, new byte[0]);
        assertThat(meters.counter("sallyport.alerts", "kind", "UNDECODABLE").count())
                .isEqualTo(4);
        publish("acme", "next", MessageType.CONFIG_UPDATE, 1);
        read();
        assertThat(msgIds("acme", "s-0")).containsExactly("next");
    }

    @Test
    void shouldDecideForANeighbourWhileOneCustomersRequestsWait() throws Exception {
        upToDate = new CompletableFuture<>();
        for (int i = 0; i < Parking.MOST_OF_A_CUSTOMER; i++) {
            publish("acme", "flood-" + i, MessageType.CONFIG_UPDATE, FLEET + 1);
        }
        publish("globex", "neighbour", MessageType.CONFIG_UPDATE, 1);
        pass();
        assertThat(msgIds("globex", "s-0")).containsExactly("neighbour");
        assertThat(answers("acme")).isEmpty();

        // Beyond the bound the flooding customer is told so at once, and nothing of it is kept.
        publish("acme", "too-many", MessageType.CONFIG_UPDATE, FLEET + 1);
        assertThat(answers("acme")).containsExactly("too-many OVERLOADED");

        upToDate.complete(true);
        for (int i = 0; i < 2; i++) {
            pass();
        }
        assertThat(answers("acme"))
                .hasSize(Parking.MOST_OF_A_CUSTOMER)
                .allMatch(answer -> answer.endsWith(" UNKNOWN_SENSOR"));
        publish("acme", "later", MessageType.CONFIG_UPDATE, 1);
        read();
        assertThat(msgIds("acme", "s-0")).containsExactly("later");
    }

    @Test
    void shouldAcceptWhatWasWrittenBeforeThePublishAndReadAfterIt() throws Exception {
        upToDate = new CompletableFuture<>();
        publish("acme", "early", MessageType.CONFIG_UPDATE, FLEET + 1);
        index.describe(new SensorKey("acme", "unknown"), EndpointMetadata.getDefaultInstance());
        upToDate.complete(true);
        pass();
        assertThat(msgIds("acme", "unknown")).containsExactly("early");
    }

    @Test
    void shouldNotReadASegmentAsItWas() {
        segments.put("pilots", List.of("s-1"));
        upToDate = new CompletableFuture<>();
        toSegment("acme", "segment");
        pass();
        assertThat(entries).isEmpty();
        segments.put("pilots", List.of("s-2"));
        upToDate.complete(true);
        pass();
        assertThat(entries.keySet()).containsExactly("acme/s-2");
    }

    @Test
    void shouldKeepTheOrderOfACustomerWhoseFirstRequestWaits() {
        segments.put("pilots", List.of("s-0"));
        upToDate = new CompletableFuture<>();
        toSegment("acme", "isolate");
        publish("acme", "release", MessageType.CONFIG_UPDATE, 1);
        cancel("acme", "isolate");
        pass();
        assertThat(entries).isEmpty();
        upToDate.complete(true);
        pass();
        assertThat(msgIds("acme", "s-0")).containsExactly("isolate", "release", "isolate");
    }

    private List<String> answers(String customer) throws Exception {
        var answers = new ArrayList<String>();
        for (var record : records(Topics.MESSAGE_DECISIONS)) {
            if (record.key().startsWith(customer + "/") && record.value() != null) {
                var decision = MessageDecision.parseFrom(record.value());
                answers.add(decision.getMsgId() + " " + decision.getAnswer().getCode());
            }
        }
        return answers;
    }

    private void toSegment(String customer, String msgId) {
        pipe(
                customer,
                IngressRecord.newBuilder()
                        .setPublish(CloudMessage.newBuilder()
                                .setCustomerId(customer)
                                .setMsgId(msgId)
                                .setType(MessageType.CONFIG_UPDATE_VALUE)
                                .setTarget(Target.newBuilder().setSegment("pilots"))));
    }

    private void pass() {
        for (int i = 0; i < 200; i++) {
            driver.advanceWallClockTime(Duration.ofMillis(5));
        }
        read();
    }

    private void read() {
        for (TestRecord<String, byte[]> record : records(Topics.SENSOR_QUEUE)) {
            try {
                entries.computeIfAbsent(record.key(), key -> new ArrayList<>())
                        .add(QueueEntry.parseFrom(record.value()));
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
        }
    }

    private List<TestRecord<String, byte[]>> records(TopicSpec<?> topic) {
        return driver.createOutputTopic(topic.name(), new StringDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList();
    }

    private List<String> msgIds(String customer, String sensor) {
        return entries.getOrDefault(customer + "/" + sensor, List.of()).stream()
                .map(QueueEntry::getMsgId)
                .toList();
    }

    /** To the sensor s-0, to so many of the fleet, or to one that is unknown where there are not so many. */
    private void publish(String customer, String msgId, MessageType type, int sensors) {
        var target = Target.newBuilder();
        if (sensors == 1 || sensors > FLEET) {
            target.setSensorId(sensors == 1 ? "s-0" : "unknown");
        } else if (sensors == FLEET) {
            target.setFleet(true);
        } else {
            for (int i = 0; i < FLEET && (customer.equals("acme") || i < 100); i++) {
                index.describe(
                        new SensorKey(customer, "s-" + i),
                        EndpointMetadata.newBuilder()
                                .setVersion(2 + requests)
                                .setHost(HostMetadata.newBuilder().setOsFamily(i < sensors ? "chosen" : "linux"))
                                .build());
            }
            target.setSelector("os.family = chosen");
        }
        pipe(
                customer,
                IngressRecord.newBuilder()
                        .setPublish(CloudMessage.newBuilder()
                                .setCustomerId(customer)
                                .setMsgId(msgId)
                                .setType(type.getNumber())
                                .setMaxTargets(FLEET)
                                .setTarget(target)));
    }

    private void cancel(String customer, String msgId) {
        pipe(
                customer,
                IngressRecord.newBuilder()
                        .setCancel(CancelMessage.newBuilder()
                                .setCustomerId(customer)
                                .setMsgId(msgId)));
    }

    private void pipe(String customer, IngressRecord.Builder request) {
        ingress.pipeInput(
                customer,
                request.setRequestId("r-" + ++requests)
                        .setPrincipal(Principal.newBuilder()
                                .setSubject("operator")
                                .addCustomers(customer)
                                .addScopes(MessageTypes.SCOPE_PUBLISH)
                                .addScopes(MessageTypes.SCOPE_RESPOND))
                        .build()
                        .toByteArray());
    }
}
