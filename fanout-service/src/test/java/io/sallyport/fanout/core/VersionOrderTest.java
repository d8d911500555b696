package io.sallyport.fanout.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionOrderTest {
    private static final List<String> PIECES =
            List.of("0", "1", "9", "10", "007", ".", "-", "+", "a", "Beta", "rc", "é");

    @ParameterizedTest
    @CsvSource({
        "4.10, >, 4.9",
        "4.9, <, 4.10",
        "4.1, =, 4.1.0",
        "4.01, =, 4.1",
        "1.0-beta, <, 1.0",
        "1.0-alpha, <, 1.0-beta",
        "1.0-BETA, =, 1.0-beta",
        "10.0.19045, >, 10.0.9200",
        "99999999999999999999999, >, 99999999999999999999998",
        "99999999999999999999999, >, 9",
        "2, >, 1.99.99"
    })
    void shouldCompare(String left, String sign, String right) {
        int order = Integer.signum(VersionOrder.INSTANCE.compare(left, right));
        assertThat(order)
                .isEqualTo(
                        switch (sign) {
                            case "<" -> -1;
                            case ">" -> 1;
                            default -> 0;
                        });
    }

    @Test
    void shouldBeAnOrder() {
        var random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            String a = version(random);
            String b = version(random);
            String c = version(random);
            int ab = VersionOrder.INSTANCE.compare(a, b);
            assertThat(VersionOrder.INSTANCE.compare(b, a)).as("%s %s", a, b).isEqualTo(-ab);
            assertThat(VersionOrder.INSTANCE.compare(a, a)).isZero();
            if (ab <= 0 && VersionOrder.INSTANCE.compare(b, c) <= 0) {
                assertThat(VersionOrder.INSTANCE.compare(a, c))
                        .as("%s %s %s", a, b, c)
                        .isLessThanOrEqualTo(0);
            }
        }
    }

    private static String version(Random random) {
        var text = new StringBuilder();
        for (int i = random.nextInt(6); i >= 0; i--) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }
}
