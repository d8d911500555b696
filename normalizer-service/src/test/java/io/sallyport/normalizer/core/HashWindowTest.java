package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.Reason;
import org.junit.jupiter.api.Test;

class HashWindowTest {
    private final Scenario scenario = new Scenario();

    private void commit(long from, long to) {
        for (long seq = from; seq <= to; seq += 500) {
            scenario.feed(scenario.raw.range(T0, 1, seq, Math.min(to, seq + 499)));
        }
    }

    @Test
    void shouldVerifyTheLastThousandBelowTheWatermarkAndQuarantineOlderResends() {
        commit(1, 10_000);
        scenario.feed(scenario.raw.range(T0, 1, 8_977, 9_400));
        scenario.feed(scenario.raw.range(T0, 1, 9_401, 9_900));
        scenario.feed(scenario.raw.range(T0, 1, 9_901, 10_000));
        assertThat(scenario.duplicates).isEqualTo(1_024);
        assertThat(scenario.markers()).isEmpty();

        scenario.feed(scenario.raw.range(T0, 1, 5_000, 5_001));
        assertThat(scenario.markers()).containsExactly("UNVERIFIABLE_RESEND 1: 5000-5001");
        assertThat(scenario.quarantined()).singleElement().satisfies(refused -> {
            assertThat(refused.reason()).isEqualTo(Reason.UNVERIFIABLE_RESEND);
            assertThat(refused.original().bytes())
                    .isEqualTo(scenario.raw.range(T0, 1, 5_000, 5_001).value());
        });
        assertThat(scenario.committed()).hasSize(10_000).doesNotHaveDuplicates();
    }

    @Test
    void shouldVerifyEverythingAboveAWatermarkThatStandsStill() {
        commit(2, 3_000);
        scenario.feed(scenario.raw.range(T0, 1, 2, 500));
        scenario.feed(scenario.raw.range(T0, 1, 2_501, 3_000));
        assertThat(scenario.duplicates).isEqualTo(999);
        assertThat(scenario.markers()).isEmpty();
    }

    @Test
    void shouldStayBoundedWhileTheWatermarkStandsStillAndVerifyWhatIsNewest() {
        commit(2, 50_000);
        assertThat(scenario.store.chunks()).isLessThanOrEqualTo((4_096 + 1_024) / 64 + 4);
        scenario.feed(scenario.raw.range(T0, 1, 50_000 - 400, 50_000));
        scenario.feed(scenario.raw.range(T0, 1, 50_000 - 4_095, 50_000 - 3_900));
        assertThat(scenario.duplicates).isEqualTo(401 + 196);
        scenario.feed(scenario.raw.range(T0, 1, 100, 200));
        assertThat(scenario.markers()).containsExactly("UNVERIFIABLE_RESEND 1: 100-200");
        scenario.feed(scenario.raw.batch(T0, 1, 1));
        assertThat(scenario.committed()).hasSize(50_000).doesNotHaveDuplicates();
    }

    @Test
    void shouldVerifyAnHonestResendAcrossAWideSkip() {
        commit(1, 100);
        scenario.feed(scenario.raw.skip(T0, 1, 101, 100_000, 1));
        commit(100_001, 100_100);
        scenario.feed(scenario.raw.range(T0, 1, 1, 100));
        scenario.feed(scenario.raw.range(T0, 1, 100_001, 100_100));
        assertThat(scenario.duplicates).isEqualTo(200);
        assertThat(scenario.marks(Reason.UNVERIFIABLE_RESEND)).isEmpty();
    }

    @Test
    void shouldStayBoundedWhereEverySeqLiesInAChunkOfItsOwn() {
        for (int i = 0; i < 12; i++) {
            var seqs = new long[500];
            for (int j = 0; j < seqs.length; j++) {
                seqs[j] = (i * 500L + j + 1) * 1_000;
            }
            scenario.feed(scenario.raw.batch(T0, 1, seqs));
        }
        assertThat(scenario.store.chunks()).isLessThanOrEqualTo(4_096 + 1_024 + 130);
        assertThat(scenario.store.largestValue())
                .as("fits a record of the changelog")
                .isLessThan(500_000);
    }

    @Test
    void shouldForgetTheLowestDeclaredRangesBeyondTheirLimit() {
        for (long seq = 1; seq <= 2_200; seq += 2) {
            scenario.feed(scenario.raw.skip(T0, 1, seq, seq, 1));
            scenario.feed(scenario.raw.batch(T0, 1, seq + 1));
        }
        scenario.feed(scenario.raw.batch(T0, 1, 1, 2_199));
        assertThat(scenario.committed()).contains(2_199L).doesNotContain(1L);
        assertThat(scenario.markers()).contains("UNVERIFIABLE_RESEND 1: 1", "GAP_CLOSED 1: 2199");
    }
}
