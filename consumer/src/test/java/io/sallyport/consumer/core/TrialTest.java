package io.sallyport.consumer.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TrialTest {
    private static final Duration FIRST = Duration.ofMillis(200);
    private static final Duration LONGEST = Duration.ofSeconds(10);

    @Test
    void shouldWaitLongerEachTimeUpToALimit() {
        Trial trial = Trial.first(7, 1);
        long[] pauses = new long[40];
        for (int i = 0; i < pauses.length; i++) {
            trial = trial.failed(true, FIRST, LONGEST, 0);
            pauses[i] = trial.againAtMs();
        }

        assertThat(pauses)
                .startsWith(200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000)
                .endsWith(10_000);
        assertThat(trial.failures()).isEqualTo(40);
    }

    @Test
    void shouldNotCountWhatIsNotTheRecordsFault() {
        Trial trial = Trial.first(7, 1).failed(false, FIRST, LONGEST, 50).failed(true, FIRST, LONGEST, 100);

        assertThat(trial.failures()).isEqualTo(1);
        assertThat(trial.againAtMs()).isEqualTo(500);
    }

    @Test
    void shouldRingOnceUntilTheLagWasWellBelowItsLimit() {
        LagAlarm below = LagAlarm.below(0.1);
        LagAlarm raised = below.seen(0.1);

        assertThat(raised.ringsAfter(below)).isTrue();
        assertThat(raised.seen(0.9).ringsAfter(raised)).isFalse();
        assertThat(raised.seen(0.08).seen(0.2).ringsAfter(raised.seen(0.08))).isFalse();
        assertThat(raised.seen(0.05).seen(0.2).ringsAfter(raised.seen(0.05))).isTrue();
    }
}
