package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.Reason;
import org.junit.jupiter.api.Test;

class ClosedEpochsTest {
    private static final long HOUR = 3_600_000;
    private final Scenario scenario = new Scenario();

    @Test
    void shouldKeepTheLastFourEpochsWithARecordAndRefuseOlderContent() {
        for (int epoch = 1; epoch <= 6; epoch++) {
            scenario.raw.session(epoch, 0);
            scenario.feed(scenario.raw.range(T0 + epoch * 2 * HOUR, epoch, 1, 3));
        }
        long now = T0 + 20 * HOUR;
        for (int epoch = 1; epoch <= 6; epoch++) {
            scenario.feed(scenario.raw.range(now, epoch, 4, 5));
        }
        assertThat(scenario.committed(2)).containsExactly(1L, 2L, 3L);
        assertThat(scenario.committed(3)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(scenario.markers()).containsExactly("LATE_EPOCH 1: 4-5", "LATE_EPOCH 2: 4-5");
        assertThat(scenario.quarantined())
                .hasSize(2)
                .allSatisfy(refused -> assertThat(refused.reason()).isEqualTo(Reason.LATE_EPOCH));
        assertThat(scenario.quarantined().get(0).original().bytes())
                .isEqualTo(scenario.raw.range(0, 1, 4, 5).value());
        assertThat(scenario.store.epochs()).isEqualTo(4);
        assertThat(scenario.store.chunks()).isEqualTo(4);
    }

    @Test
    void shouldKeepEveryEpochThatWasClosedLessThanAnHourAgo() {
        for (int epoch = 1; epoch <= 20; epoch++) {
            scenario.raw.session(epoch, 0);
            scenario.feed(scenario.raw.range(T0 + epoch, epoch, 1, 3));
        }
        scenario.feed(scenario.raw.range(T0 + HOUR, 1, 4, 5));
        assertThat(scenario.committed(1)).hasSize(5);
        scenario.feed(scenario.raw.range(T0 + 2 * HOUR, 1, 6, 7));
        assertThat(scenario.committed(1)).hasSize(5);
        assertThat(scenario.markers()).containsExactly("LATE_EPOCH 1: 6-7");
    }

    @Test
    void shouldKeepAtMostSixtyFourEpochs() {
        for (int epoch = 1; epoch <= 100; epoch++) {
            scenario.raw.session(epoch, 0);
            scenario.feed(scenario.raw.batch(T0 + epoch, epoch, 1, 3));
        }
        scenario.feed(scenario.raw.batch(T0 + 200, 100, 2));
        assertThat(scenario.store.epochs()).isEqualTo(64);
        assertThat(scenario.marks(Reason.GAP))
                .hasSize(99)
                .allSatisfy(mark -> assertThat(mark.detail()).isEqualTo("renumbered"));
        scenario.feed(scenario.raw.batch(T0 + 300, 36, 2));
        scenario.feed(scenario.raw.batch(T0 + 300, 37, 2));
        assertThat(scenario.committed(36)).doesNotContain(2L);
        assertThat(scenario.committed(37)).contains(2L);
    }

    @Test
    void shouldTakeUpAnEpochThatIsFirstSeenAfterANewerOne() {
        scenario.raw.session(2, 0);
        scenario.feed(scenario.raw.range(T0, 6, 1, 3));
        scenario.raw.session(1, 0);
        scenario.feed(scenario.raw.batch(T0 + 1, 5, 1, 2, 5));
        assertThat(scenario.committed(5)).containsExactly(1L, 2L, 5L);
        assertThat(scenario.markers()).isEmpty();

        scenario.raw.session(2, 0);
        scenario.feed(scenario.raw.range(T0 + 60_002, 6, 4, 5));
        assertThat(scenario.markers()).containsExactly("GAP 5: 3-4");
        assertThat(scenario.marks().get(0).detail()).isEqualTo("renumbered");
    }

    @Test
    void shouldMarkASkipOfAForgottenEpoch() {
        for (int epoch = 1; epoch <= 6; epoch++) {
            scenario.raw.session(epoch, 0);
            scenario.feed(scenario.raw.range(T0 + epoch * 2 * HOUR, epoch, 1, 3));
        }
        scenario.feed(scenario.raw.skip(T0 + 20 * HOUR, 1, 4, 9, 1));
        assertThat(scenario.markers()).containsExactly("LATE_EPOCH 1: 4-9");
    }

    @Test
    void shouldCompareAnEpochAsUnsigned() {
        scenario.feed(scenario.raw.range(T0, 0x7FFF_FFFFL, 1, 2));
        scenario.raw.session(2, 0);
        scenario.feed(scenario.raw.range(T0 + 1, 0xFFFF_FFFFL, 1, 2));
        scenario.feed(scenario.raw.range(T0 + 2, 0xFFFF_FFFFL, 1, 3));
        assertThat(scenario.committed(0xFFFF_FFFFL)).containsExactly(1L, 2L, 3L);
        assertThat(scenario.duplicates).isEqualTo(2);
    }
}
