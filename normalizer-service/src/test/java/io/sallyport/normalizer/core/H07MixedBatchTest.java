package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class H07MixedBatchTest {
    private final Scenario scenario = new Scenario();

    @Test
    void shouldDecideEachEventOfABatchByItself() {
        scenario.feed(scenario.raw.range(T0, 1, 1, 6));
        scenario.feed(scenario.raw.batch(T0 + 1, 1, 7, 9));
        scenario.feed(scenario.raw.range(T0 + 2, 1, 8, 11));
        scenario.feed(scenario.raw.range(T0 + 3, 1, 13, 16));
        assertThat(scenario.committed())
                .isEqualTo(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 9L, 8L, 10L, 11L, 13L, 14L, 15L, 16L));
        assertThat(scenario.duplicates).isEqualTo(1);
        assertThat(scenario.markers()).isEmpty();

        scenario.feed(scenario.raw.batch(T0 + 3 + 60_001, 1, 17));
        assertThat(scenario.markers()).containsExactly("GAP 1: 12");

        scenario.feed(scenario.raw.batch(T0 + 70_000, 1, 12));
        assertThat(scenario.committed()).endsWith(17L, 12L).doesNotHaveDuplicates();
        assertThat(scenario.markers()).containsExactly("GAP 1: 12", "GAP_CLOSED 1: 12");
    }
}
