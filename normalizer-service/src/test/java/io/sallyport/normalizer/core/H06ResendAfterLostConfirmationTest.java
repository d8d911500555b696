package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class H06ResendAfterLostConfirmationTest {
    private final Scenario scenario = new Scenario();

    @Test
    void shouldCommitOnceWhereTheFirstAttemptWasStoredToo() {
        scenario.feed(scenario.raw.range(T0, 1, 1, 100));
        scenario.feed(scenario.raw.range(T0, 1, 1, 100));

        assertThat(scenario.committed())
                .isEqualTo(LongStream.rangeClosed(1, 100).boxed().toList());
        assertThat(scenario.duplicates).isEqualTo(100);
        assertThat(scenario.markers()).isEmpty();
    }

    @Test
    void shouldCommitOnceWhereTheResendComesOverAnotherNodeAndSession() {
        scenario.feed(scenario.raw.range(T0, 1, 1, 100));
        scenario.raw.session(2, 0).codec(1);
        scenario.feed(scenario.raw.range(T0 + 5, 1, 1, 60));
        scenario.feed(scenario.raw.range(T0 + 6, 1, 61, 100));

        assertThat(scenario.committed()).hasSize(100);
        assertThat(scenario.duplicates).isEqualTo(100);
        assertThat(scenario.markers()).isEmpty();
    }
}
