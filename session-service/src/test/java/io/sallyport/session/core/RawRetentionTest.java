package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RawRetentionTest {
    private static final long HOUR_MS = 3_600_000;

    private static RawPressure at(double used) {
        return RawRetention.pressure(RawPressure.NONE, used);
    }

    @Test
    void shouldAskNothingBelowHalf() {
        assertThat(at(0)).isEqualTo(RawPressure.NONE);
        assertThat(at(0.499)).isEqualTo(RawPressure.NONE);
    }

    @Test
    void shouldSlowMoreAndMoreUpToTheHold() {
        assertThat(at(0.5)).isEqualTo(new RawPressure(RawRetention.MIN_THROTTLE_MS, false));
        assertThat(at(0.65).throttleMs()).isBetween(5_000, 5_100);
        int before = 0;
        for (double used = 0.5; used < 0.8; used += 0.01) {
            assertThat(at(used).throttleMs()).isGreaterThan(before);
            assertThat(at(used).holds()).isFalse();
            before = at(used).throttleMs();
        }
        assertThat(at(0.8)).isEqualTo(new RawPressure(RawRetention.MAX_THROTTLE_MS, true));
        assertThat(at(1)).isEqualTo(at(0.8));
    }

    @Test
    void shouldNotFlapAtTheEdgeOfTheHold() {
        RawPressure held = at(0.81);
        assertThat(RawRetention.pressure(held, 0.79).holds()).isTrue();
        RawPressure released = RawRetention.pressure(held, 0.74);
        assertThat(released.holds()).isFalse();
        assertThat(RawRetention.pressure(released, 0.79).holds()).isFalse();
    }

    @Test
    void shouldTakeBytesAsAPartOfWhatIsKept() {
        assertThat(RawRetention.usedByBytes(50, 100)).isEqualTo(0.5);
        assertThat(RawRetention.usedByBytes(500, 100)).isEqualTo(1);
        assertThat(RawRetention.usedByBytes(500, -1)).isZero();
        assertThat(RawRetention.usedByBytes(0, 0)).isZero();
        assertThat(RawRetention.usedByBytes(1, 0)).isEqualTo(1);
    }

    @Test
    void shouldAgeAViewThatIsNotRenewed() {
        assertThat(RawRetention.usedNow(0.2, 30_000, 2 * HOUR_MS, 30_000)).isEqualTo(0.2);
        // Too old to rely on: it slows at once, and after the time that the rest of the retention takes it holds.
        assertThat(RawRetention.usedNow(0.2, 30_001, 2 * HOUR_MS, 30_000)).isEqualTo(0.5);
        assertThat(RawRetention.usedNow(0.2, HOUR_MS, 2 * HOUR_MS, 30_000)).isEqualTo(0.7);
        assertThat(RawRetention.usedNow(0.2, 10 * HOUR_MS, 2 * HOUR_MS, 30_000)).isEqualTo(1);
        assertThat(RawRetention.usedNow(0, 10 * HOUR_MS, -1, 30_000)).isEqualTo(0.5);
    }
}
