package io.sallyport.router.core;

import static io.sallyport.router.core.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.TargetState;
import org.junit.jupiter.api.Test;

/** A late disconnect, or a refresh, of an older session does not touch the newer one. */
class H13LateDisconnectTest {
    private static final long START_MS = Entries.START_US / 1_000;
    private static final long G1 = SessionId.of(START_MS, 1, 0);

    private final QueueBench queue = new QueueBench();

    @Test
    void shouldDeliverToTheNewerSessionAfterTheOlderOneIsReportedGone() {
        long g2 = SessionId.of(START_MS + 1_000, 2, 0);
        queue.connect(G1);
        queue.connect(g2);
        queue.nowUs += 30_000_000;
        queue.disconnect(G1);

        assertThat(queue.enter(entry("m-1", 1, MessageType.RESPONSE_ACTION))).containsExactly("m-1");
        assertThat(queue.pushes.get(0).session().sessionId()).isEqualTo(g2);
        assertThat(queue.pushes.get(0).session().node()).isEqualTo(2);
        assertThat(queue.notes).containsExactly(Note.STALE_UNREGISTER);
        assertThat(queue.state.session()).contains(new Session(g2, true, 3));
        assertThat(queue.stateOf("m-1")).isEqualTo(TargetState.IN_FLIGHT);
    }

    @Test
    void shouldIgnoreTheLateDisconnectOnTheSameNode() {
        long g2 = SessionId.of(START_MS, 1, 1);
        queue.connect(G1);
        queue.connect(g2);
        queue.disconnect(G1);

        assertThat(queue.state.session()).contains(new Session(g2, true, 3));
        assertThat(queue.notes).containsExactly(Note.STALE_UNREGISTER);
    }

    @Test
    void shouldIgnoreARefreshOfTheOlderSession() {
        long g2 = SessionId.of(START_MS, 2, 0);
        queue.connect(g2);
        queue.connect(G1);

        assertThat(queue.state.session()).contains(new Session(g2, true, 3));
        assertThat(queue.notes).containsExactly(Note.STALE_REGISTER);
    }

    @Test
    void shouldKeepTheHigherOfTwoSessionsOfOneMillisecondInEitherOrder() {
        long g2 = SessionId.of(START_MS, 2, 0);
        queue.connect(G1);
        queue.connect(g2);
        var other = new QueueBench();
        other.connect(g2);
        other.connect(G1);

        assertThat(queue.state.session()).isEqualTo(other.state.session());
        assertThat(queue.state.session().orElseThrow().sessionId()).isEqualTo(g2);
    }

    @Test
    void shouldSendNothingWhileTheNewestSessionIsGone() {
        queue.connect(G1);
        queue.disconnect(G1);
        queue.connect(G1);

        assertThat(queue.enter(entry("m-1", 1, MessageType.RESPONSE_ACTION))).isEmpty();
        assertThat(queue.connect(SessionId.of(START_MS + 5, 1, 0))).containsExactly("m-1");
    }
}
