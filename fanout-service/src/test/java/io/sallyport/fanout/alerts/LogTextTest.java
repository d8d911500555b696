package io.sallyport.fanout.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogTextTest {
    @Test
    void shouldLeaveNothingThatEndsALineOrAField() {
        assertThat(LogText.escaped("a\nb\" count=9 \\é\0")).isEqualTo("a\\u000ab\\u0022 count=9 \\u005c\\u00e9\\u0000");
        assertThat(LogText.escaped("x".repeat(10_000))).hasSizeLessThan(600);
    }
}
