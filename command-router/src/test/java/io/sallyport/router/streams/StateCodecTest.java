package io.sallyport.router.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import io.sallyport.router.core.Entries;
import io.sallyport.router.core.Entry;
import io.sallyport.router.core.SensorState;
import io.sallyport.router.core.Session;
import io.sallyport.router.core.Settled;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StateCodecTest {
    @Test
    void shouldReadBackEveryField() {
        var handling = new Entry.Handling(1, true, "2/v5");
        var state = new SensorState(
                Optional.of(new Session(-5L, true, -1)),
                List.of(
                        new Entry(
                                Entries.update("a", 1, "v5").build(),
                                handling,
                                new Entry.Pushes(4, 2, -5L, 77),
                                Entry.Withdrawal.SUPERSEDED),
                        new Entry(
                                Entries.entry("b", 2, MessageType.RESPONSE_ACTION)
                                        .build(),
                                new Entry.Handling(0, false, ""),
                                Entry.Pushes.NONE,
                                Entry.Withdrawal.CANCELLED),
                        new Entry(
                                Entries.update("c", -3, "v5").build(),
                                handling,
                                Entry.Pushes.NONE,
                                Entry.Withdrawal.NONE)),
                new SensorState.Marks(Map.of("2/v5", -3L), Map.of(2, 1L)),
                9,
                SensorState.NEVER);

        assertThat(StateCodec.sensor(StateCodec.encode(state))).isEqualTo(state);
        assertThat(StateCodec.sensor(StateCodec.encode(SensorState.EMPTY))).isEqualTo(SensorState.EMPTY);
    }

    @Test
    void shouldReadBackWhatIsSettled() {
        var settled = new Settled(
                TargetStatus.newBuilder()
                        .setMsgId("m")
                        .setState(TargetState.NACKED)
                        .setLateAck(true)
                        .setDetail("busy")
                        .setCode(7)
                        .build(),
                1,
                2);

        assertThat(StateCodec.settled(StateCodec.encode(settled))).isEqualTo(settled);
    }
}
