package io.sallyport.local.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class StartPositionTest {
    @Test
    void shouldReadWordsTimesAndMilliseconds() {
        assertThat(StartPosition.parse("beginning")).isEqualTo(new StartPosition.Beginning());
        assertThat(StartPosition.parse("NOW")).isEqualTo(new StartPosition.Now());
        assertThat(StartPosition.parse("1700000000123"))
                .isEqualTo(new StartPosition.At(Instant.ofEpochMilli(1_700_000_000_123L)));
        assertThat(StartPosition.parse("2026-01-31T13:00:00+01:00"))
                .isEqualTo(new StartPosition.At(Instant.parse("2026-01-31T12:00:00Z")));
    }

    @Test
    void shouldNameWhatItTakesWhereTheTextIsNothingOfIt() {
        for (String text : new String[] {"yesterday", "", "99999999999999999999", "2026-01-31"}) {
            assertThatThrownBy(() -> StartPosition.parse(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("beginning, now");
        }
    }
}
