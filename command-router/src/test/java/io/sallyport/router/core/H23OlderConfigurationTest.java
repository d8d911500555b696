package io.sallyport.router.core;

import static io.sallyport.router.core.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.TargetState;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The newest configuration is the one with the highest revision, not the one that came last. */
class H23OlderConfigurationTest {
    private final QueueBench queue = new QueueBench();

    @Test
    void shouldNeverSendAnOlderConfigurationThanTheNewestKnown() {
        policy(8);
        policy(7);
        policy(8);
        assertThat(queue.open()).containsExactly("policy-8");
        assertThat(queue.stateOf("policy-7")).isEqualTo(TargetState.SUPERSEDED_BY_NEWER);
        assertThat(queue.notes).containsExactly(Note.STALE_REVISION, Note.DUPLICATE_ENTRY);

        assertThat(queue.connect(9L << 20)).containsExactly("policy-8");
        assertThat(policy(9)).isEmpty();
        assertThat(queue.open()).containsExactly("policy-8", "policy-9");
        assertThat(queue.stateOf("policy-8")).isEqualTo(TargetState.IN_FLIGHT);

        assertThat(queue.ack("policy-8")).containsExactly("policy-9");
        assertThat(queue.stateOf("policy-8")).isEqualTo(TargetState.ACKED);
        queue.ack("policy-9");
        assertThat(queue.pushes.stream().map(push -> push.entry().msgId())).containsExactly("policy-8", "policy-9");
    }

    @Test
    void shouldRecordAnOlderRevisionAsSupersededAfterTheNewerOneIsGone() {
        queue.connect(9L << 20);
        policy(9);
        queue.ack("policy-9");

        assertThat(policy(8)).isEmpty();
        assertThat(queue.stateOf("policy-8")).isEqualTo(TargetState.SUPERSEDED_BY_NEWER);
    }

    @Test
    void shouldReplaceWhatIsInFlightAtTheNextSession() {
        queue.connect(9L << 20);
        policy(8);
        queue.disconnect(9L << 20);
        policy(9);

        assertThat(queue.connect(10L << 20)).containsExactly("policy-9");
        assertThat(queue.stateOf("policy-8")).isEqualTo(TargetState.SUPERSEDED_BY_NEWER);
        queue.ack("policy-8");
        assertThat(queue.told.get("policy-8").getLateAck()).isTrue();
    }

    @Test
    void shouldReplaceWhatIsNotAnsweredInTime() {
        queue.connect(9L << 20);
        policy(8);
        policy(9);

        queue.nowUs += Entries.LIMITS.repeat().firstUs();
        assertThat(queue.apply(new QueueEvent.Due())).containsExactly("policy-9");
        assertThat(queue.stateOf("policy-8")).isEqualTo(TargetState.SUPERSEDED_BY_NEWER);
    }

    private List<String> policy(long revision) {
        return queue.enter(entry("policy-" + revision, revision, MessageType.CONFIG_UPDATE));
    }
}
