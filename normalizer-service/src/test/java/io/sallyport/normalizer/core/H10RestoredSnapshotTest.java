package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.Reason;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class H10RestoredSnapshotTest {
    private final Scenario scenario = new Scenario();

    @BeforeEach
    void epochFiveWithAThousandEvents() {
        for (long seq = 1; seq <= 1_000; seq += 100) {
            scenario.feed(scenario.raw.range(T0, 5, seq, seq + 99));
        }
    }

    private EpochOpen.Builder opening(EpochVerdict verdict) {
        return EpochOpen.newBuilder()
                .setEpoch(6)
                .setVerdict(verdict)
                .setNextSeq(300)
                .setClosedWatermark(1_000);
    }

    @Test
    void shouldMarkTheRollbackOnceAndSayWhereTheOldEpochEnded() {
        scenario.raw.session(2, 0);
        scenario.feed(scenario.raw.open(
                T0 + 1,
                opening(EpochVerdict.NEW_EPOCH_ROLLBACK).setPresentedEpoch(4).build()));
        scenario.feed(scenario.raw.open(
                T0 + 2,
                opening(EpochVerdict.NEW_EPOCH_ROLLBACK).setPresentedEpoch(4).build()));
        scenario.raw.verdict(EpochVerdict.NEW_EPOCH_ROLLBACK);
        scenario.feed(scenario.raw.range(T0 + 3, 6, 1, 3));

        assertThat(scenario.markers()).containsExactly("EPOCH_ROLLBACK 6: ");
        assertThat(scenario.marks().get(0).detail())
                .isEqualTo("presented epoch 4, next_seq 300; epoch 5 ended at 1000");
    }

    @Test
    void shouldCompareNothingOfTheNewEpochWithTheOld() {
        scenario.raw.session(2, 0);
        scenario.feed(scenario.raw.open(
                T0 + 1, opening(EpochVerdict.NEW_EPOCH_ROLLBACK).build()));
        scenario.feed(scenario.raw.batch(
                T0 + 2, 6, RawRecords.Event.of(1, "other content"), RawRecords.Event.of(2, "than in epoch 5")));

        assertThat(scenario.committed(6)).containsExactly(1L, 2L);
        assertThat(scenario.quarantined()).isEmpty();
    }

    @Test
    void shouldMarkADivergedEpoch() {
        scenario.raw.session(2, 0);
        scenario.feed(scenario.raw.open(
                T0 + 1,
                opening(EpochVerdict.DIVERGED).setEpoch(10).setPresentedEpoch(9).build()));
        assertThat(scenario.markers()).containsExactly("EPOCH_DIVERGED 10: ");
    }

    @Test
    void shouldCallAFirstEpochOfAKnownSensorLostState() {
        scenario.raw.session(2, 0);
        scenario.feed(
                scenario.raw.open(T0 + 1, opening(EpochVerdict.NEW_EPOCH_FIRST).build()));
        assertThat(scenario.markers()).containsExactly("STATE_LOST 6: ");
    }

    @Test
    void shouldSayNothingOfTheFirstEpochOfAnUnknownSensor() {
        var fresh = new Scenario();
        fresh.feed(fresh.raw.open(
                T0, opening(EpochVerdict.NEW_EPOCH_FIRST).setClosedWatermark(0).build()));
        fresh.feed(fresh.raw.range(T0, 6, 1, 3));
        assertThat(fresh.markers()).isEmpty();
    }

    @Test
    void shouldTakeTheVerdictFromTheStampWhereTheOpeningWasLost() {
        scenario.raw.session(2, 0).verdict(EpochVerdict.NEW_EPOCH_ROLLBACK);
        scenario.feed(scenario.raw.range(T0 + 1, 6, 1, 3));
        scenario.feed(scenario.raw.range(T0 + 2, 6, 4, 6));
        assertThat(scenario.markers()).containsExactly("EPOCH_ROLLBACK 6: ");
    }

    @Test
    void shouldReportTheOldEpochsHolesAndStillTakeWhatFillsThem() {
        scenario.feed(scenario.raw.range(T0 + 1, 5, 1_011, 1_020));
        scenario.raw.session(2, 0);
        scenario.feed(scenario.raw.open(
                T0 + 2,
                opening(EpochVerdict.NEW_EPOCH_ROLLBACK)
                        .setClosedWatermark(1_025)
                        .build()));
        assertThat(scenario.markers()).containsExactly("GAP 5: 1001-1010,1021-1025", "EPOCH_ROLLBACK 6: ");
        assertThat(scenario.marks(Reason.GAP).get(0).detail()).isEqualTo("renumbered");

        scenario.raw.session(1, 0);
        scenario.feed(scenario.raw.range(T0 + 3, 5, 1_001, 1_010));
        assertThat(scenario.committed(5)).contains(1_005L).doesNotHaveDuplicates();
        assertThat(scenario.markers()).endsWith("GAP_CLOSED 5: 1001-1010");
    }
}
