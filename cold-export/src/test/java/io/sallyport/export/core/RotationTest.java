package io.sallyport.export.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RotationTest {
    @ParameterizedTest
    @CsvSource({
        // bytes, first, last, now, caught up, due
        "1000, 0, 0, 0, true, true",
        "1000, 0, 0, 0, false, true",
        "999, 0, 0, 599, true, false",
        "999, 0, 0, 600, true, true",
        // A backlog of a day is not cut after each look at it.
        "1, 0, 10, 86400, false, false",
        "1, 0, 600, 86400, false, true"
    })
    void shouldCutBySizeAndByAge(long bytes, long firstMs, long lastMs, long nowMs, boolean caughtUp, boolean due) {
        assertThat(new Rotation(1_000, 600).isDue(bytes, firstMs, lastMs, nowMs, caughtUp))
                .isEqualTo(due);
    }
}
