package io.sallyport.router.core;

import static io.sallyport.router.core.Entries.entry;
import static io.sallyport.router.core.Entries.update;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.TargetState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeliveryOrderTest {
    private static final long SESSION = SessionId.of(Entries.START_US / 1_000 - 1, 0, 0);

    private final QueueBench queue = new QueueBench();

    @Test
    void shouldSendAnActionBefore255QueuedUpdatesOfDifferentVersions() {
        for (int i = 1; i <= 255; i++) {
            queue.enter(update("update-" + i, i, "v" + i));
        }
        queue.enter(entry("isolate", 256, MessageType.RESPONSE_ACTION));

        var received = new ArrayList<>(queue.connect(SESSION));
        for (int i = 0; i < received.size(); i++) {
            received.addAll(queue.ack(received.get(i)));
        }

        assertThat(received).hasSize(256).doesNotHaveDuplicates();
        assertThat(received.get(0)).isEqualTo("isolate");
        for (int i = 1; i <= 255; i++) {
            assertThat(received.get(i)).isEqualTo("update-" + i);
        }
        assertThat(queue.open()).isEmpty();
    }

    @Test
    void shouldSendAnActionAtOnceWhileUpdatesAreInFlight() {
        queue.connect(SESSION);
        for (int i = 1; i <= 20; i++) {
            queue.enter(update("update-" + i, i, "v" + i));
        }
        assertThat(queue.pushes).hasSize(4);

        assertThat(queue.enter(entry("isolate", 21, MessageType.RESPONSE_ACTION)))
                .containsExactly("isolate");
    }

    @Test
    void shouldSendIsolateBeforeReleaseAndRepeatThemInThatOrder() {
        queue.connect(SESSION);
        queue.enter(entry("isolate", 8, MessageType.RESPONSE_ACTION));
        queue.nowUs += 1_000_000;
        queue.enter(entry("release", 9, MessageType.RESPONSE_ACTION));

        assertThat(queue.due()).containsExactly("isolate", "release");
        assertThat(queue.connect(SESSION + 1)).containsExactly("isolate", "release");
    }

    @Test
    void shouldHoldReleaseBackWhileTheBodyOfIsolateIsMissing() {
        queue.connect(SESSION);
        queue.missingBodies.add("isolate");
        assertThat(queue.enter(entry("isolate", 8, MessageType.RESPONSE_ACTION)))
                .isEmpty();
        assertThat(queue.enter(entry("release", 9, MessageType.RESPONSE_ACTION)))
                .isEmpty();
        assertThat(queue.enter(entry("policy", 10, MessageType.CONFIG_UPDATE))).containsExactly("policy");

        queue.missingBodies.clear();
        assertThat(queue.apply(new QueueEvent.Due())).containsExactly("isolate", "release");
    }

    @Test
    void shouldRefuseAnOlderActionAfterANewerOneWasSent() {
        queue.connect(SESSION);
        queue.enter(entry("release", 9, MessageType.RESPONSE_ACTION));

        assertThat(queue.enter(entry("isolate", 8, MessageType.RESPONSE_ACTION)))
                .isEmpty();
        assertThat(queue.stateOf("isolate")).isEqualTo(TargetState.REJECTED);
        assertThat(queue.told.get("isolate").getDetail()).isEqualTo(Admission.NEWER_DELIVERED);
        assertThat(queue.alerts).containsExactly(AlertKind.OVERTAKEN);
        // Neither a repetition of it nor a new session brings it back.
        queue.enter(entry("isolate", 8, MessageType.RESPONSE_ACTION));
        assertThat(queue.connect(SESSION + 1)).containsExactly("release");
    }

    @Test
    void shouldRecordAnOlderUpdateOfAnotherVersionAsSupersededAfterANewerOneWasSent() {
        queue.connect(SESSION);
        queue.enter(update("to-v5", 2, "v5"));

        assertThat(queue.enter(update("to-v4", 1, "v4"))).isEmpty();
        assertThat(queue.stateOf("to-v4")).isEqualTo(TargetState.SUPERSEDED_BY_NEWER);
        assertThat(queue.alerts).isEmpty();
    }

    @Test
    void shouldSortByRevisionWhatArrivesTheOtherWayRoundBeforeItIsSent() {
        queue.enter(entry("release", 9, MessageType.RESPONSE_ACTION));
        queue.enter(entry("isolate", 8, MessageType.RESPONSE_ACTION));

        assertThat(queue.connect(SESSION)).containsExactly("isolate", "release");
    }

    @Test
    void shouldWaitForTheJitterOfAnOlderUpdateButNotOfAnotherType() {
        queue.connect(SESSION);
        queue.enter(update("to-v5", 1, "v5").setDeliverAtUs(queue.nowUs + 60_000_000));
        assertThat(queue.enter(update("to-v4", 2, "v4"))).isEmpty();
        assertThat(queue.enter(entry("intel", 3, MessageType.THREAT_INTEL_UPDATE)))
                .containsExactly("intel");
        queue.ack("intel");

        assertThat(queue.due()).containsExactly("to-v5", "to-v4");
    }

    @Test
    void shouldRepeatAfter30SecondsAndBackOff() {
        queue.connect(SESSION);
        queue.enter(entry("m", 1, MessageType.RESPONSE_ACTION));
        var gapsS = new ArrayList<Long>();
        for (int i = 0; i < 7; i++) {
            long beforeUs = queue.nowUs;
            assertThat(queue.due()).containsExactly("m");
            gapsS.add((queue.nowUs - beforeUs) / 1_000_000);
        }

        assertThat(gapsS).isEqualTo(List.of(30L, 60L, 120L, 240L, 480L, 600L, 600L));
        assertThat(queue.pushes.get(1).path()).isEqualTo(Effect.Path.REPEAT);
        assertThat(queue.counts.get("m")).containsEntry(TargetState.IN_FLIGHT, 1);
    }

    @Test
    void shouldNotRepeatWhileTheSensorIsAway() {
        queue.connect(SESSION);
        queue.enter(entry("m", 1, MessageType.RESPONSE_ACTION));
        queue.disconnect(SESSION);

        assertThat(queue.state.dueUs())
                .isEqualTo(queue.state.open().get(0).message().getExpiresAtUs());
        assertThat(queue.connect(SESSION + 1)).containsExactly("m");
        assertThat(queue.pushes.get(1).path()).isEqualTo(Effect.Path.REPLAY);
    }

    @Test
    void shouldNotPushToADeadNodeAndLookAgain() {
        queue.connect(SESSION);
        queue.nodeAlive = false;
        assertThat(queue.enter(entry("m", 1, MessageType.RESPONSE_ACTION))).isEmpty();

        queue.nodeAlive = true;
        assertThat(queue.due()).containsExactly("m");
        assertThat(queue.nowUs - Entries.START_US).isEqualTo(Entries.LIMITS.recheckUs());
    }

    @Test
    void shouldBoundTheBytesInFlightButAlwaysAllowOne() {
        queue.connect(SESSION);
        queue.enter(entry("big", 1, MessageType.RESPONSE_ACTION).setPayloadBytes(5 << 20));
        assertThat(queue.enter(entry("next", 2, MessageType.RESPONSE_ACTION))).isEmpty();

        assertThat(queue.ack("big")).containsExactly("next");
    }
}
