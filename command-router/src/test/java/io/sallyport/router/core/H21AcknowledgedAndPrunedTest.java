package io.sallyport.router.core;

import static io.sallyport.router.core.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.TargetState;
import org.junit.jupiter.api.Test;

/** Queued means queued, also across a restart; an answer prunes its own message and nothing else. */
class H21AcknowledgedAndPrunedTest {
    private static final int BUSY = 7;

    private final QueueBench queue = new QueueBench();

    @Test
    void shouldPruneExactlyWhatIsAnswered() {
        queue.enter(entry("M2", 1, MessageType.CONFIG_UPDATE));
        queue.enter(entry("M1", 2, MessageType.RESPONSE_ACTION));
        assertThat(queue.stateOf("M1")).isEqualTo(TargetState.PENDING);
        assertThat(queue.stateOf("M2")).isEqualTo(TargetState.PENDING);

        assertThat(queue.connect(9L << 20)).containsExactly("M1", "M2");

        queue.ack("M1");
        assertThat(queue.open()).containsExactly("M2");
        queue.ack("M1");
        queue.ack("no-such");
        assertThat(queue.notes).containsExactly(Note.DUPLICATE_ACK, Note.UNKNOWN_ACK);

        queue.nack("M2", BUSY);
        assertThat(queue.open()).isEmpty();
        assertThat(queue.stateOf("M2")).isEqualTo(TargetState.NACKED);
        assertThat(queue.told.get("M2").getCode()).isEqualTo(BUSY);
        assertThat(queue.alerts).containsExactly(AlertKind.COMMAND_NACKED);

        queue.ack("M2");
        assertThat(queue.stateOf("M2")).isEqualTo(TargetState.NACKED);
        assertThat(queue.told.get("M2").getLateAck()).isTrue();
    }

    @Test
    void shouldNotSendARefusedMessageAgain() {
        queue.enter(entry("M2", 1, MessageType.CONFIG_UPDATE));
        queue.connect(9L << 20);
        queue.nack("M2", BUSY);

        queue.nowUs += Entries.us(java.time.Duration.ofMinutes(5));
        assertThat(queue.due()).isEmpty();
        assertThat(queue.connect(10L << 20)).isEmpty();
        assertThat(queue.enter(entry("M2", 1, MessageType.CONFIG_UPDATE))).isEmpty();
    }

    @Test
    void shouldTakeAnAnswerToWhatIsStillPending() {
        queue.enter(entry("M1", 1, MessageType.RESPONSE_ACTION));

        queue.ack("M1");

        assertThat(queue.stateOf("M1")).isEqualTo(TargetState.ACKED);
        assertThat(queue.connect(9L << 20)).isEmpty();
    }
}
