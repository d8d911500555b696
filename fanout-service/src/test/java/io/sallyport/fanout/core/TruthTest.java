package io.sallyport.fanout.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kleene's tables: T true, U unknown, F false. */
class TruthTest {
    @ParameterizedTest
    @CsvSource({
        "T,T,T,T", "T,U,U,T", "T,F,F,T",
        "U,T,U,T", "U,U,U,U", "U,F,F,U",
        "F,T,F,T", "F,U,F,U", "F,F,F,F"
    })
    void shouldFollowTheTables(char left, char right, char both, char either) {
        assertThat(Truth.and(value(left), value(right))).isEqualTo(value(both));
        assertThat(Truth.or(value(left), value(right))).isEqualTo(value(either));
    }

    @ParameterizedTest
    @CsvSource({"T,F", "U,U", "F,T"})
    void shouldLeaveTheUnknownUnknown(char value, char negated) {
        assertThat(Truth.not(value(value))).isEqualTo(value(negated));
    }

    private static byte value(char letter) {
        return switch (letter) {
            case 'T' -> Truth.TRUE;
            case 'U' -> Truth.UNKNOWN;
            default -> Truth.FALSE;
        };
    }
}
