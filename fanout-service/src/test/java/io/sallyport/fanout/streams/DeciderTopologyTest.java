package io.sallyport.fanout.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.edge.streams.LogMadeAnewException;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.QueueEntry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans become entries in the decider's task, one customer's in order, with cancellations in between. */
class DeciderTopologyTest {
    private DeciderRig rig;

    @BeforeEach
    void start(@TempDir Path dir) {
        rig = new DeciderRig(dir);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void shouldLetNoLaterMessageOfALaneOvertakeALargeOne() {
        rig.publish("acme", "isolate", MessageType.RESPONSE_ACTION, DeciderRig.FLEET);
        rig.publish("acme", "release", MessageType.RESPONSE_ACTION, 1);
        rig.publish("acme", "policy", MessageType.CONFIG_UPDATE, 1);
        rig.publish("globex", "isolate", MessageType.RESPONSE_ACTION, 1);

        rig.read();
        // Other lanes and other customers do not wait; the same lane does.
        assertThat(rig.msgIds("acme", "s-0")).containsExactly("policy");
        assertThat(rig.msgIds("globex", "s-0")).containsExactly("isolate");
        rig.pass();
        for (int i = 0; i < DeciderRig.FLEET; i++) {
            assertThat(rig.msgIds("acme", "s-" + i).stream().filter(id -> !id.equals("policy")))
                    .containsExactlyElementsOf(i == 0 ? List.of("isolate", "release") : List.of("isolate"));
        }
    }

    @Test
    void shouldRefuseToDecideWhereIngressWasMadeAnewBelowItsState() throws Exception {
        rig.publish("acme", "first", MessageType.CONFIG_UPDATE, 1);
        rig.publish("acme", "second", MessageType.CONFIG_UPDATE, 1);
        rig.answers("acme");
        // As after a restart: what was handled comes from the changelog, and the log begins again.
        rig.handled(1_000, DeciderRig.START.toEpochMilli() - 60_000);

        assertThatThrownBy(() -> rig.publish("acme", "lost", MessageType.CONFIG_UPDATE, 1))
                .hasRootCauseInstanceOf(LogMadeAnewException.class)
                .rootCause()
                .hasMessageContaining("ingress was made anew: partition 0");
        assertThat(rig.answers("acme")).isEmpty();
    }

    @Test
    void shouldDecideAgainWhatIsReadAgain() throws Exception {
        rig.handled(1_000, DeciderRig.START.toEpochMilli());
        rig.publish("acme", "again", MessageType.CONFIG_UPDATE, 1);
        assertThat(rig.answers("acme")).hasSize(1);
    }

    @Test
    void shouldWriteNothingNewOnceAMessageIsCancelledAndWithdrawEachTarget() {
        rig.publish("acme", "wrong", MessageType.RESPONSE_ACTION, DeciderRig.FLEET);
        rig.driver.advanceWallClockTime(Duration.ofMillis(5));
        rig.read();
        assertThat(rig.entries.values().stream().mapToInt(List::size).sum()).isEqualTo(4_000);

        rig.cancel("acme", "wrong");
        rig.cancel("acme", "wrong");
        rig.pass();
        int queued = 0;
        for (int i = 0; i < DeciderRig.FLEET; i++) {
            List<QueueEntry> ofSensor = rig.entries.get("acme/s-" + i);
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
        rig.connect("acme", random.nextInt(3_000));
        for (int i = 0; i < 12; i++) {
            String customer = random.nextInt(3) == 0 ? "globex" : "acme";
            String msgId = "m-" + i;
            int size = customer.equals("globex")
                    ? 1 + random.nextInt(99)
                    : random.nextBoolean() ? 1 : 1 + random.nextInt(5_000);
            MessageType type = random.nextBoolean() ? MessageType.RESPONSE_ACTION : MessageType.CONFIG_UPDATE;
            rig.publish(customer, msgId, type, size);
            sizes.put(customer + "/" + msgId, size);
            if (random.nextInt(4) == 0) {
                rig.cancel(customer, msgId);
                cancelled.add(customer + "/" + msgId);
            }
            if (random.nextBoolean()) {
                rig.driver.advanceWallClockTime(Duration.ofMillis(random.nextInt(10) == 0 ? 600 : random.nextInt(15)));
            }
        }
        rig.driver.advanceWallClockTime(Duration.ofSeconds(1));
        rig.pass();
        var reached = new HashMap<String, Integer>();
        rig.entries.forEach((sensor, queue) -> {
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
        rig.publish("acme", "none", MessageType.CONFIG_UPDATE, DeciderRig.FLEET + 1);
        rig.pass();
        var decisions = rig.records(Topics.MESSAGE_DECISIONS);
        assertThat(decisions).hasSize(2);
        MessageDecision refused = MessageDecision.parseFrom(decisions.get(0).value());
        assertThat(refused.getAccepted()).isFalse();
        assertThat(refused.getAnswer().getCode()).isEqualTo("UNKNOWN_SENSOR");
        assertThat(decisions.get(1).value()).isNull();
        assertThat(rig.records(Topics.MESSAGE_BODIES)).isEmpty();
        assertThat(rig.records(Topics.FANOUT_PLANS)).isEmpty();
    }

    @Test
    void shouldForgetAMessageAMonthAfterItsExpiry() {
        rig.publish("acme", "old", MessageType.CONFIG_UPDATE, 1);
        rig.driver.advanceWallClockTime(Duration.ofDays(30));
        assertThat(rig.records(Topics.MESSAGE_DECISIONS)).hasSize(1);
        rig.driver.advanceWallClockTime(Duration.ofDays(3));
        var decisions = rig.records(Topics.MESSAGE_DECISIONS);
        assertThat(decisions).hasSize(1);
        assertThat(decisions.get(0).key()).isEqualTo("acme/old");
        assertThat(decisions.get(0).value()).isNull();
    }

    @Test
    void shouldStepOverWhatIsNoRequest() {
        rig.ingress.pipeInput("acme", new byte[] {1, 2, 3});
        rig.ingress.pipeInput("acme", new byte[0]);
        rig.ingress.pipeInput("a b", new byte[0]);
        rig.ingress.pipeInput(null, new byte[0]);
        assertThat(rig.meters.counter("sallyport.alerts", "kind", "UNDECODABLE").count())
                .isEqualTo(4);
        rig.publish("acme", "next", MessageType.CONFIG_UPDATE, 1);
        rig.read();
        assertThat(rig.msgIds("acme", "s-0")).containsExactly("next");
    }

    @Test
    void shouldDecideForANeighbourWhileOneCustomersRequestsWait() throws Exception {
        rig.upToDate = new CompletableFuture<>();
        for (int i = 0; i < Parking.MOST_OF_A_CUSTOMER; i++) {
            rig.publish("acme", "flood-" + i, MessageType.CONFIG_UPDATE, DeciderRig.FLEET + 1);
        }
        rig.publish("globex", "neighbour", MessageType.CONFIG_UPDATE, 1);
        rig.pass();
        assertThat(rig.msgIds("globex", "s-0")).containsExactly("neighbour");
        assertThat(rig.answers("acme")).isEmpty();

        // Beyond the bound the flooding customer is told so at once, and nothing of it is kept.
        rig.publish("acme", "too-many", MessageType.CONFIG_UPDATE, DeciderRig.FLEET + 1);
        assertThat(rig.answers("acme")).containsExactly("too-many OVERLOADED");

        rig.upToDate.complete(true);
        for (int i = 0; i < 2; i++) {
            rig.pass();
        }
        assertThat(rig.answers("acme"))
                .hasSize(Parking.MOST_OF_A_CUSTOMER)
                .allMatch(answer -> answer.endsWith(" UNKNOWN_SENSOR"));
        rig.publish("acme", "later", MessageType.CONFIG_UPDATE, 1);
        rig.read();
        assertThat(rig.msgIds("acme", "s-0")).containsExactly("later");
    }

    @Test
    void shouldAcceptWhatWasWrittenBeforeThePublishAndReadAfterIt() throws Exception {
        rig.upToDate = new CompletableFuture<>();
        rig.publish("acme", "early", MessageType.CONFIG_UPDATE, DeciderRig.FLEET + 1);
        rig.index.describe(new SensorKey("acme", "unknown"), EndpointMetadata.getDefaultInstance());
        rig.upToDate.complete(true);
        rig.pass();
        assertThat(rig.msgIds("acme", "unknown")).containsExactly("early");
    }

    @Test
    void shouldNotReadASegmentAsItWas() {
        rig.segments.put("pilots", List.of("s-1"));
        rig.upToDate = new CompletableFuture<>();
        rig.toSegment("acme", "segment");
        rig.pass();
        assertThat(rig.entries).isEmpty();
        rig.segments.put("pilots", List.of("s-2"));
        rig.upToDate.complete(true);
        rig.pass();
        assertThat(rig.entries.keySet()).containsExactly("acme/s-2");
    }

    @Test
    void shouldKeepTheOrderOfACustomerWhoseFirstRequestWaits() {
        rig.segments.put("pilots", List.of("s-0"));
        rig.upToDate = new CompletableFuture<>();
        rig.toSegment("acme", "isolate");
        rig.publish("acme", "release", MessageType.CONFIG_UPDATE, 1);
        rig.cancel("acme", "isolate");
        rig.pass();
        assertThat(rig.entries).isEmpty();
        rig.upToDate.complete(true);
        rig.pass();
        assertThat(rig.msgIds("acme", "s-0")).containsExactly("isolate", "release", "isolate");
    }
}
