package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.normalizer.core.RawRecords.Event;
import org.junit.jupiter.api.Test;

class H15ExtremeTimesTest {
    private static final long NOW = RawRecords.INGEST_US;
    private static final long TEN_YEARS = 10 * 365 * 86_400_000_000L;
    private final Scenario scenario = new Scenario();

    private RawRecord extremes() {
        return scenario.raw.batch(
                T0,
                1,
                Event.of(1).ts(-1),
                Event.of(2).ts(0),
                Event.of(3).ts(NOW),
                Event.of(4).ts(NOW + TEN_YEARS),
                Event.of(5).ts(Long.MAX_VALUE));
    }

    @Test
    void shouldKeepEveryTimeAsSentAndFlagWhatIsFarFromIngest() {
        scenario.feed(extremes());
        scenario.feed(scenario.raw.range(T0 + 1, 1, 6, 10));

        assertThat(scenario.committed()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(scenario.commits().subList(0, 5))
                .extracting(commit -> commit.event().eventTsUs())
                .containsExactly(-1L, 0L, NOW, NOW + TEN_YEARS, Long.MAX_VALUE);
        assertThat(scenario.commits())
                .extracting(Effect.Commit::clockSkew)
                .containsExactly(true, true, false, true, true, false, false, false, false, false);
        assertThat(scenario.skewed).isEqualTo(4);
        assertThat(scenario.markers()).isEmpty();
    }

    @Test
    void shouldNotCallAnOverflowingDistanceSmall() {
        scenario.feed(scenario.raw.batch(
                T0, 1, Event.of(1).ts(Long.MIN_VALUE), Event.of(2).ts(Long.MIN_VALUE + NOW)));
        assertThat(scenario.skewed).isEqualTo(2);
    }

    @Test
    void shouldDrawTheLineAtTenMinutes() {
        long limit = 600_000_000L;
        scenario.feed(scenario.raw.batch(
                T0,
                1,
                Event.of(1).ts(NOW - limit),
                Event.of(2).ts(NOW + limit),
                Event.of(3).ts(NOW - limit - 1),
                Event.of(4).ts(NOW + limit + 1)));
        assertThat(scenario.commits()).extracting(Effect.Commit::clockSkew).containsExactly(false, false, true, true);
    }

    @Test
    void shouldExpectOldTimesFromASpool() {
        scenario.raw.flags(BatchHeader.FLAG_REPLAY);
        scenario.feed(extremes());
        assertThat(scenario.skewed).isZero();
        assertThat(scenario.commits()).allSatisfy(commit -> {
            assertThat(commit.clockSkew()).isFalse();
            assertThat(commit.admission().replay()).isTrue();
        });
    }
}
