package io.sallyport.session.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import io.sallyport.session.streams.EpochAuthorityStreams;
import io.sallyport.session.streams.EpochMeters;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the authority answers while it runs: one for all tests, each with sensors of its own. */
class EpochAuthorityIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();

    @TempDir
    static Path stateDir;

    private static final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private static RunningTopology streams;

    @BeforeAll
    static void start() {
        streams = EpochAuthorityStreams.of(
                EpochAuthorityStreams.member(BOOTSTRAP, 0, stateDir, "", TopicSizing.LOCAL), new EpochMeters(meters));
        streams.start();
    }

    @AfterAll
    static void stop() {
        streams.close();
    }

    @Test
    void shouldAnswerAClaimAndShowItInTheTable() throws Exception {
        var sensor = new SensorKey("acme", "authority-round-trip");
        try (var node = ControlPlaneNode.start(BOOTSTRAP, 0)) {
            EpochAnswer first = node.claim(sensor, node.newClaim(sensor, 0).build());
            assertThat(first.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
            assertThat(first.getEpoch()).isEqualTo(1);
            assertThat(first.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_FIRST);
            assertThat(first.getKnownSensor()).isFalse();
            node.report(sensor, ReportKind.REPORT_FIRST_APPEND, first, 0);
            node.report(sensor, ReportKind.REPORT_ACKED, first, 100);

            EpochAnswer resumed = node.claim(sensor, node.resume(sensor, first));
            assertThat(resumed.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            assertThat(resumed.getWatermark()).isEqualTo(100);

            // Decided by the node, and taken over by the authority.
            Awaitility.await().untilAsserted(() -> {
                List<EpochState> table = TopicContents.of(BOOTSTRAP, Topics.EPOCH_TABLE, sensor.topicKey()::equals);
                EpochState last = table.get(table.size() - 1);
                assertThat(last.getNewestSessionId()).isEqualTo(resumed.getNewestSessionId());
                assertThat(last.getLiveSessionId()).isEqualTo(resumed.getNewestSessionId());
                assertThat(last.getAcked()).isEqualTo(100);
            });
        }
    }

    /** H10 (b), on the broker. */
    @Test
    void shouldSpendOneEpochWhenTwoNodesRace() throws Exception {
        try (var one = ControlPlaneNode.start(BOOTSTRAP, 1);
                var two = ControlPlaneNode.start(BOOTSTRAP, 2)) {
            Map<String, Long> newest = new HashMap<>();
            for (int i = 0; i < 20; i++) {
                var sensor = new SensorKey("acme", "authority-race-" + i);
                var first = one.newClaim(sensor, 0).build();
                var second = two.newClaim(sensor, 0).build();
                var answers = List.of(
                        one.authority.claim(sensor, first).toCompletableFuture(),
                        two.authority.claim(sensor, second).toCompletableFuture());
                EpochAnswer a = orAgain(answers.get(0), one, sensor, first);
                EpochAnswer b = orAgain(answers.get(1), two, sensor, second);
                assertThat(List.of(a, b))
                        .anySatisfy(answer -> assertThat(answer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED))
                        .allSatisfy(answer -> assertThat(answer.getEpoch()).isBetween(0, 1));
                newest.put(sensor.topicKey(), Math.max(first.getSessionId(), second.getSessionId()));
            }
            var keys = new ArrayList<String>();
            List<EpochState> table =
                    TopicContents.of(BOOTSTRAP, Topics.EPOCH_TABLE, key -> newest.containsKey(key) && keys.add(key));
            Map<String, EpochState> last = new HashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                last.put(keys.get(i), table.get(i));
            }
            newest.forEach((key, sessionId) -> {
                assertThat(last.get(key).getEpoch()).as(key).isEqualTo(1);
                assertThat(last.get(key).getNewestSessionId()).as(key).isEqualTo(sessionId);
            });
        }
    }

    /** H13, on the broker: node 1 notices the end of its session after the sensor has come back on node 2. */
    @Test
    void shouldKeepTheNewerSessionInTheDirectoryWhenTheOlderOneEndsLate() throws Exception {
        var sensor = new SensorKey("acme", "authority-late-disconnect");
        try (var one = ControlPlaneNode.start(BOOTSTRAP, 1);
                var two = ControlPlaneNode.start(BOOTSTRAP, 2)) {
            EpochAnswer g1 = one.claim(sensor, one.newClaim(sensor, 0).build());
            one.report(sensor, ReportKind.REPORT_FIRST_APPEND, g1, 0);
            EpochAnswer g2 = two.claim(
                    sensor,
                    two.newClaim(sensor, g1.getNewestSessionId())
                            .setPresentedEpoch(1)
                            .setNextSeq(5)
                            .build());
            one.report(sensor, ReportKind.REPORT_DISCONNECTED, g1, 4);
            Awaitility.await()
                    .until(() -> meters.find("sallyport.stale.unregister").counter() != null);
            List<SessionEntry> directory = TopicContents.of(BOOTSTRAP, Topics.SESSIONS, sensor.topicKey()::equals);
            SessionEntry last = directory.get(directory.size() - 1);
            assertThat(last.getSessionId()).isEqualTo(g2.getNewestSessionId());
            assertThat(last.getState()).isEqualTo(SessionState.SESSION_CONNECTED);
            assertThat(last.getNode()).isEqualTo(2);
        }
    }

    @Test
    void shouldSkipWhatItCannotReadAndGoOn() throws Exception {
        var sensor = new SensorKey("acme", "authority-bad-input");
        int partition = Slots.partition(sensor, TopicSizing.LOCAL.sensorPartitions());
        try (var node = ControlPlaneNode.start(BOOTSTRAP, 0);
                var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", (Object) BOOTSTRAP),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            byte[] key = sensor.topicKeyBytes();
            byte[] garbage = {(byte) 0xFF, 1, 2, 3};
            var unanswerable = io.sallyport.proto.log.v1.EpochInput.newBuilder()
                    .setClaim(node.newClaim(sensor, 0).setNode(4_000))
                    .build();
            for (var record : List.of(
                    new ProducerRecord<>(Topics.EPOCH_CLAIMS.name(), partition, key, garbage),
                    new ProducerRecord<>(Topics.EPOCH_CLAIMS.name(), partition, key, (byte[]) null),
                    new ProducerRecord<>(Topics.EPOCH_CLAIMS.name(), partition, (byte[]) null, garbage),
                    new ProducerRecord<>(
                            Topics.EPOCH_CLAIMS.name(), partition, "no sensor".getBytes(StandardCharsets.UTF_8), key),
                    new ProducerRecord<>(Topics.EPOCH_CLAIMS.name(), partition, key, new byte[0]),
                    new ProducerRecord<>(Topics.EPOCH_CLAIMS.name(), partition, key, unanswerable.toByteArray()))) {
                producer.send(record).get(20, TimeUnit.SECONDS);
            }
            EpochAnswer answer = node.claim(sensor, node.newClaim(sensor, 0).build());
            assertThat(answer.getEpoch()).isEqualTo(1);
            assertThat(skipped("undecodable")).isEqualTo(2);
            assertThat(skipped("key")).isEqualTo(2);
            assertThat(skipped("unknown")).isEqualTo(1);
            assertThat(skipped("malformed")).isEqualTo(1);
            // Not at once: a group that still settles is no failure.
            Awaitility.await().until(streams::isRunning);
        }
    }

    @Test
    void shouldCountARollbackOnce() throws Exception {
        var sensor = new SensorKey("acme", "authority-rollback");
        try (var node = ControlPlaneNode.start(BOOTSTRAP, 0)) {
            EpochAnswer first = node.claim(sensor, node.newClaim(sensor, 0).build());
            node.report(sensor, ReportKind.REPORT_FIRST_APPEND, first, 0);
            node.report(sensor, ReportKind.REPORT_ACKED, first, 100);
            EpochClaim reset = node.newClaim(sensor, 0)
                    .setPresentedEpoch(1)
                    .setNextSeq(50)
                    .setWatermark(40)
                    .build();
            EpochAnswer rolledBack = node.claim(sensor, reset);
            assertThat(rolledBack.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
            assertThat(rolledBack.getEpoch()).isEqualTo(2);
            assertThat(rolledBack.getPresentedEpochWatermark()).isEqualTo(40);
            assertThat(rolledBack.getClosedWatermark()).isEqualTo(100);
            assertThat(node.claim(sensor, reset)).isEqualTo(rolledBack);
            assertThat(meters.counter("sallyport.alerts", "kind", "EPOCH_ROLLBACK")
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldTellANodeOfSessionsElsewhere() throws Exception {
        var sensor = new SensorKey("acme", "authority-elsewhere");
        try (var one = ControlPlaneNode.start(BOOTSTRAP, 1);
                var two = ControlPlaneNode.start(BOOTSTRAP, 2)) {
            var seen = new ArrayList<Long>();
            one.authority.onChange((changed, epoch, newest) -> {
                if (changed.equals(sensor)) {
                    synchronized (seen) {
                        seen.add(newest);
                    }
                }
            });
            EpochAnswer answer = two.claim(sensor, two.newClaim(sensor, 0).build());
            assertThat(two.authority.newestSessionId(sensor)).isEqualTo(answer.getNewestSessionId());
            Awaitility.await().until(() -> one.authority.newestSessionId(sensor) == answer.getNewestSessionId());
            assertThat(one.authority.newestEpoch(sensor)).isEqualTo(1);
            synchronized (seen) {
                assertThat(seen).containsExactly(answer.getNewestSessionId());
            }
        }
    }

    private double skipped(String reason) {
        return meters.counter("sallyport.epoch.inputs.skipped", "reason", reason)
                .count();
    }

    /** The first claims may come before the authority has its tasks. */
    private static EpochAnswer orAgain(
            java.util.concurrent.CompletableFuture<EpochAnswer> answer,
            ControlPlaneNode node,
            SensorKey sensor,
            EpochClaim claim)
            throws InterruptedException {
        try {
            return answer.get(10, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException | TimeoutException e) {
            return node.claim(sensor, claim);
        }
    }
}
