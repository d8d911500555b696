package io.sallyport.router.core;

import static io.sallyport.router.core.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.TargetState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pattern is no sensor: what is addressed to one reaches nobody. The topology's part is in RouterTopologyTest. */
class H17WildcardIdTest {
    private final QueueBench queue = new QueueBench();

    @ParameterizedTest
    @ValueSource(strings = {"s-*", "*", "#", "+", "", "s\0x", "s-1/..", "S-1"})
    void shouldNotTakeAnEntryForAnotherNameIntoTheQueueOfS1(String sensorId) {
        queue.connect(1L << 20);
        queue.apply(new QueueEvent.Entered(entry("m-1", 1, MessageType.RESPONSE_ACTION)
                .setSensorId(sensorId)
                .build()));

        assertThat(queue.pushes).isEmpty();
        assertThat(queue.state.open()).isEmpty();
        assertThat(queue.stateOf("m-1")).isEqualTo(TargetState.PLANNED);
        assertThat(queue.notes).containsExactly(Note.FORGED_IDENTITY);
        assertThat(queue.alerts).containsExactly(AlertKind.FORGED_IDENTITY);
    }

    @Test
    void shouldNotReadAPatternAsASensorKey() {
        assertThat(SensorKey.fromTopicKey("acme/s-*")).isEmpty();
    }
}
