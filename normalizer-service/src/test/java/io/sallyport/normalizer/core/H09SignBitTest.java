package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.normalizer.core.RawRecords.Event;
import io.sallyport.proto.log.v1.Reason;
import org.junit.jupiter.api.Test;

/** The design ends seqs at 2^63 - 1: the last ones work up to the edge, one more is refused, nothing wraps. */
class H09SignBitTest {
    private static final long MAX = Long.MAX_VALUE;
    private final Scenario scenario = new Scenario();

    @Test
    void shouldWorkUpToTheLastSeqAndRefuseTheNext() {
        scenario.raw.session(1, MAX - 3);
        scenario.feed(scenario.raw.batch(T0, 1, MAX - 2, MAX - 1));
        assertThat(scenario.markers()).as("what the session says was settled").containsExactly("GAP 1: 1-" + (MAX - 3));
        scenario.feed(scenario.raw.batch(T0 + 1, 1, MAX - 2, MAX - 1, MAX));
        assertThat(scenario.committed()).containsExactly(MAX - 2, MAX - 1, MAX);
        assertThat(scenario.duplicates).isEqualTo(2);

        scenario.feed(scenario.raw.batch(T0 + 100_000, 1, MAX));
        assertThat(scenario.duplicates).isEqualTo(3);
        assertThat(scenario.markers()).hasSize(1);

        scenario.feed(scenario.raw.batch(T0 + 100_001, 1, Event.of(MAX + 1)));
        assertThat(scenario.committed()).hasSize(3);
        assertThat(scenario.marks(Reason.UNDECODABLE)).hasSize(1);
        assertThat(scenario.quarantined()).hasSize(1);
    }

    @Test
    void shouldTakeTheLastSeqFirstAndFillTheHoleBelow() {
        scenario.feed(scenario.raw.batch(T0, 1, MAX));
        scenario.feed(scenario.raw.skip(T0 + 1, 1, MAX - 10, MAX, 1));
        scenario.feed(scenario.raw.batch(T0 + 2, 1, 1, 2));
        assertThat(scenario.committed()).containsExactly(MAX, 1L, 2L);
        assertThat(scenario.markers()).containsExactly("SENSOR_SKIP 1: " + (MAX - 10) + "-" + (MAX - 1));

        scenario.feed(scenario.raw.batch(T0 + 70_000, 1, 2));
        assertThat(scenario.markers())
                .contains("GAP 1: 3-" + (MAX - 11))
                .allSatisfy(marker -> assertThat(marker).doesNotContain(": -").doesNotContain("--"));
    }
}
