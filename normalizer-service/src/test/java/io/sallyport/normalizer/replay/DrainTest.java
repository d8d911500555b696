package io.sallyport.normalizer.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.Takeover;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DrainTest {
    private static final long FENCE = 100;
    private static final Takeover COMPLETE = Takeover.newBuilder()
            .setShard(0)
            .setFromOffset(50)
            .setToOffset(FENCE)
            .build();
    private static final Takeover INCOMPLETE = Takeover.newBuilder()
            .setShard(1)
            .setFromOffset(FENCE)
            .setToOffset(FENCE)
            .setIncomplete(true)
            .build();

    private final Drain drain = new Drain(List.of(COMPLETE, INCOMPLETE), 0);

    @Test
    void shouldWaitUntilTheFenceItselfIsCommittedInEveryShard() {
        assertThat(drain.waitsFor(Map.of(), 1)).containsExactly(0, 1);
        assertThat(drain.waitsFor(Map.of(0, FENCE, 1, FENCE), 2)).containsExactly(0, 1);
        assertThat(drain.waitsFor(Map.of(0, FENCE + 1, 1, FENCE), 3)).containsExactly(1);
        assertThat(drain.waitsFor(Map.of(0, FENCE + 1, 1, FENCE + 9), 4)).isEmpty();
    }

    @Test
    void shouldWaitForAsLongAsItGetsOn() {
        long now = 0;
        for (long committed = 1; committed <= FENCE; committed++) {
            now += Drain.STANDSTILL_NANOS;
            assertThat(drain.waitsFor(Map.of(0, committed, 1, FENCE + 1), now)).containsExactly(0);
        }
    }

    @Test
    void shouldLeaveOneBehindThatStandsStillOnlyWhereNothingThatCountsIsLost() {
        assertThat(drain.waitsFor(Map.of(0, 7L), Drain.STANDSTILL_NANOS)).containsExactly(0, 1);
        long now = 2 * Drain.STANDSTILL_NANOS;
        assertThat(drain.waitsFor(Map.of(0, 7L), now)).containsExactly(0, 1);
        assertThat(drain.waitsFor(Map.of(0, 7L), now + 1))
                .as("what it has not decided counts")
                .containsExactly(1);
    }

    @Test
    void shouldLeaveAShardBehindThatStandsStillWhileOthersGoOn() {
        long now = 1;
        for (long other = 1; other <= 10; other++) {
            assertThat(drain.waitsFor(Map.of(0, 7L, 1, FENCE + other), now)).containsExactly(0);
            now += Drain.STANDSTILL_NANOS / 10;
        }
        assertThat(drain.waitsFor(Map.of(0, 7L, 1, FENCE + 11), now + 1)).isEmpty();
    }
}
