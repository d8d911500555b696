package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SnapshotTurnsTest {
    private static final long NEVER = 0;
    private static final long NOW = 1_000_000;

    private final SnapshotTurns turns = new SnapshotTurns(3_600_000, 200);

    @Test
    void shouldLetACommitLieBetweenTheCopiesOfTwoShards() {
        assertThat(turns.take(0, NEVER, NOW)).isTrue();
        turns.done(NOW, 10);

        assertThat(turns.take(1, NEVER, NOW)).as("it rings at the same time").isFalse();
        assertThat(turns.next(1, NEVER, NOW)).isEqualTo(NOW + 210);
        assertThat(turns.take(1, NEVER, NOW + 210)).isTrue();
        assertThat(turns.take(2, NEVER, NOW + 210)).isFalse();
    }

    @Test
    void shouldLeaveAsMuchTimeToLiveDataAsACopyTook() {
        turns.take(0, NEVER, NOW);
        turns.done(NOW, 4_000);

        assertThat(turns.next(1, NEVER, NOW)).isEqualTo(NOW + 8_000);
    }

    @Test
    void shouldCopyAShardAgainAfterTheInterval() {
        turns.take(0, NEVER, NOW);
        turns.done(NOW, 10);

        assertThat(turns.next(0, NOW, NOW + 5)).isEqualTo(NOW + 3_600_000);
        assertThat(turns.next(1, NOW - 3_000_000, NOW + 5))
                .as("another instance copied it")
                .isEqualTo(NOW + 600_000);
    }

    @Test
    void shouldNotTryAtOnceAgainWhatWasNotCommitted() {
        turns.take(0, NEVER, NOW);
        turns.done(NOW, 11_000);

        assertThat(turns.take(0, NEVER, NOW + 30_000)).isFalse();
        assertThat(turns.next(0, NEVER, NOW + 30_000)).isEqualTo(NOW + 360_000);
    }

    @Test
    void shouldNotWaitForAClockThatWasSetBack() {
        turns.take(0, NEVER, NOW);
        turns.done(NOW, 10);
        long before = NOW - 100_000_000;

        assertThat(turns.next(0, NOW, before)).isEqualTo(before);
        assertThat(turns.next(1, NEVER, before)).isEqualTo(before);
    }
}
