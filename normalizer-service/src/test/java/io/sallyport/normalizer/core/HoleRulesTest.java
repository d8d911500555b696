package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.Reason;
import org.junit.jupiter.api.Test;

class HoleRulesTest {
    private static final long GRACE = 60_000;
    private static final long HOUR = 3_600_000;
    private final Scenario scenario = new Scenario();

    @Test
    void shouldCallAHoleAGapOnlyAfterTheGraceAndOnlyOnce() {
        scenario.feed(scenario.raw.batch(T0, 1, 1, 5));
        scenario.feed(scenario.raw.batch(T0 + GRACE, 1, 6));
        assertThat(scenario.markers()).isEmpty();
        scenario.feed(scenario.raw.batch(T0 + GRACE + 1, 1, 7));
        scenario.feed(scenario.raw.batch(T0 + 3 * GRACE, 1, 8));
        assertThat(scenario.markers()).containsExactly("GAP 1: 2-4");
        assertThat(scenario.marks().get(0).count()).isEqualTo(3);
    }

    @Test
    void shouldRestartTheGraceWheneverTheHoleShrinks() {
        scenario.feed(scenario.raw.batch(T0, 1, 1, 5));
        scenario.feed(scenario.raw.batch(T0 + GRACE, 1, 3));
        scenario.feed(scenario.raw.batch(T0 + 2 * GRACE, 1, 6));
        assertThat(scenario.markers()).isEmpty();
        scenario.feed(scenario.raw.batch(T0 + 2 * GRACE + 1, 1, 7));
        assertThat(scenario.markers()).containsExactly("GAP 1: 2,4");
    }

    @Test
    void shouldSayNothingOfAHoleThatIsFilledByTheRecordThatWouldHaveReportedIt() {
        scenario.feed(scenario.raw.batch(T0, 1, 1, 3));
        scenario.feed(scenario.raw.batch(T0 + 10 * GRACE, 1, 2));
        assertThat(scenario.markers()).isEmpty();
        assertThat(scenario.committed()).containsExactly(1L, 3L, 2L);
    }

    @Test
    void shouldNameWhatFillsAReportedHoleOncePerRecord() {
        scenario.feed(scenario.raw.batch(T0, 1, 1, 10));
        scenario.feed(scenario.raw.batch(T0 + GRACE + 1, 1, 11));
        scenario.feed(scenario.raw.batch(T0 + GRACE + 2, 1, 2, 3, 7, 12));
        scenario.feed(scenario.raw.batch(T0 + GRACE + 3, 1, 4, 5, 6, 8, 9));
        scenario.feed(scenario.raw.batch(T0 + 9 * GRACE, 1, 13));
        assertThat(scenario.markers()).containsExactly("GAP 1: 2-9", "GAP_CLOSED 1: 2-3,7", "GAP_CLOSED 1: 4-6,8-9");
    }

    @Test
    void shouldLetANewSessionRestartTheGraceForAtMostAnHour() {
        scenario.feed(scenario.raw.batch(T0, 1, 1, 3));
        long now = T0;
        for (int session = 2; now + GRACE <= T0 + HOUR; session++) {
            now += GRACE;
            scenario.raw.session(session, 1);
            scenario.feed(scenario.raw.batch(now, 1, 3));
            assertThat(scenario.markers()).as("%d ms after", now - T0).isEmpty();
        }
        scenario.raw.session(1_000, 1);
        scenario.feed(scenario.raw.batch(T0 + HOUR + 1, 1, 3));
        assertThat(scenario.markers()).containsExactly("GAP 1: 2");
    }

    @Test
    void shouldNotLetALateRecordOfAnOlderSessionReportAnything() {
        scenario.raw.session(2, 0);
        scenario.feed(scenario.raw.batch(T0, 1, 1, 3));
        scenario.raw.session(1, 0);
        scenario.feed(scenario.raw.batch(T0 + 5 * GRACE, 1, 4));
        assertThat(scenario.markers()).isEmpty();
        scenario.raw.session(2, 0);
        scenario.feed(scenario.raw.batch(T0 + 5 * GRACE, 1, 5));
        assertThat(scenario.markers()).containsExactly("GAP 1: 2");
    }

    @Test
    void shouldGiveUpHolesAtOrBelowTheBaseOfASession() {
        scenario.feed(scenario.raw.batch(T0, 1, 1, 3, 10));
        scenario.raw.session(2, 6);
        scenario.feed(scenario.raw.batch(T0 + 1, 1, 11));
        assertThat(scenario.markers()).containsExactly("GAP 1: 2,4-6");

        scenario.feed(scenario.raw.batch(T0 + 2, 1, 2, 6, 7, 8, 9));
        assertThat(scenario.committed()).containsExactly(1L, 3L, 10L, 11L, 7L, 8L, 9L);
        assertThat(scenario.markers()).containsExactly("GAP 1: 2,4-6", "UNVERIFIABLE_RESEND 1: 2,6");
        assertThat(scenario.quarantined())
                .singleElement()
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.UNVERIFIABLE_RESEND));
    }

    @Test
    void shouldNameAReportedHoleNoSecondTimeWhenItBecomesFinal() {
        scenario.feed(scenario.raw.batch(T0, 1, 1, 3));
        scenario.feed(scenario.raw.batch(T0 + GRACE + 1, 1, 4));
        scenario.raw.session(2, 4);
        scenario.feed(scenario.raw.batch(T0 + GRACE + 2, 1, 5));
        assertThat(scenario.markers()).containsExactly("GAP 1: 2");
    }

    @Test
    void shouldExplainWhatASessionLetsGoOfAndNobodyEverSaw() {
        scenario.feed(scenario.raw.range(T0, 1, 1, 3));
        scenario.raw.session(2, 8);
        scenario.feed(scenario.raw.range(T0 + 1, 1, 9, 10));
        assertThat(scenario.markers()).containsExactly("GAP 1: 4-8");
        assertThat(scenario.committed()).containsExactly(1L, 2L, 3L, 9L, 10L);
    }

    @Test
    void shouldGiveUpTheLowestHoleBeyondTheLimitOfRanges() {
        var small = new Scenario(
                new Limits(GRACE, HOUR, 3, 1_024, Scenario.LIMITS.maxEventBytes(), Scenario.LIMITS.maxOriginalBytes()));
        small.feed(small.raw.batch(T0, 1, 2, 4, 6));
        assertThat(small.markers()).isEmpty();
        small.feed(small.raw.batch(T0, 1, 8, 10));
        assertThat(small.markers()).containsExactly("GAP 1: 1,3");
        small.feed(small.raw.batch(T0, 1, 1, 5));
        assertThat(small.markers()).containsExactly("GAP 1: 1,3", "UNVERIFIABLE_RESEND 1: 1");
        assertThat(small.committed()).containsExactly(2L, 4L, 6L, 8L, 10L, 5L);
    }

    @Test
    void shouldGiveNoMarkerForPriorityBatchesInASteadyState() {
        long now = T0;
        for (long first = 1; first < 5_000; first += 100) {
            scenario.feed(scenario.raw.range(now, 1, first + 80, first + 99));
            scenario.feed(scenario.raw.range(now + 20_000, 1, first, first + 79));
            now += 50_000;
            scenario.restart();
        }
        assertThat(scenario.markers()).isEmpty();
        assertThat(scenario.committed()).hasSize(5_000).doesNotHaveDuplicates();
    }

    @Test
    void shouldTakeSkipsAsDeclaredAndMarkOnlyWhatWasOpen() {
        scenario.feed(scenario.raw.batch(T0, 1, 1, 4));
        scenario.feed(scenario.raw.skip(T0, 1, 1, 6, 1));
        assertThat(scenario.markers()).containsExactly("SENSOR_SKIP 1: 2-3,5-6");
        assertThat(scenario.marks().get(0).detail()).isEqualTo("evicted from the spool");
        scenario.feed(scenario.raw.skip(T0, 1, 1, 6, 1));
        assertThat(scenario.markers()).hasSize(1);

        scenario.feed(scenario.raw.batch(T0 + 1, 1, 2, 7));
        assertThat(scenario.committed()).containsExactly(1L, 4L, 2L, 7L);
        assertThat(scenario.markers()).endsWith("GAP_CLOSED 1: 2");
    }

    @Test
    void shouldNotConcludeAnythingFromARequeuedRecord() {
        scenario.feed(scenario.raw.batch(T0, 1, 1, 3));
        scenario.raw.session(0, 2);
        scenario.feed(scenario.raw.batch(T0 + 5 * GRACE, 1, 4));
        assertThat(scenario.markers()).isEmpty();
        scenario.raw.session(1, 0);
        scenario.feed(scenario.raw.batch(T0 + 6 * GRACE, 1, 2));
        assertThat(scenario.markers()).isEmpty();
    }
}
