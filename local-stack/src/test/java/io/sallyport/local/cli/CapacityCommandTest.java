package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The figures that docs/capacity.md shows, as the command prints them. */
class CapacityCommandTest {
    @Test
    void shouldPrintWhatACellIsDesignedFor() {
        var printed = Invocation.of("capacity");

        assertThat(printed.exit()).as(printed.err()).isZero();
        assertThat(printed.out().lines().map(line -> line.replaceAll(" +", " ")))
                .anyMatch(line -> line.startsWith("11,574 events/s, 370 MB/s, at least 15 partitions"))
                .anyMatch(line -> line.startsWith("raw 2 h RF 1 2.7 TB"))
                .anyMatch(line -> line.startsWith("hot 24 h RF 3 96.0 TB"))
                .anyMatch(line -> line.startsWith("warm 7 d RF 3 672.0 TB"))
                .anyMatch(line -> line.startsWith("cold 90 d RF 1 2,880.0 TB"));
    }

    @ParameterizedTest
    @CsvSource({
        "100000, 11574, 370.4, 2.667, 96, 672, 2880",
        "1000000, 115741, 3703.7, 26.67, 960, 6720, 28800",
        "10000000, 1157407, 37037, 266.7, 9600, 67200, 288000"
    })
    void shouldScaleWithTheSensors(
            String sensors, double eventsPerS, double mbPerS, double raw, double hot, double warm, double cold) {
        var printed = Invocation.of("capacity", "--sensors", sensors, "--json");

        assertThat(printed.exit()).as(printed.err()).isZero();
        assertThat(printed.json().get("events_per_s").asDouble()).isCloseTo(eventsPerS, within(1.0));
        assertThat(printed.json().get("mb_per_s").asDouble()).isCloseTo(mbPerS, within(mbPerS / 1_000));
        Map<String, Double> tb = new LinkedHashMap<>();
        for (JsonNode tier : printed.json().get("tiers")) {
            tb.put(tier.get("tier").asString(), tier.get("tb").asDouble());
        }
        assertThat(tb.keySet()).containsExactly("raw", "hot", "warm", "cold");
        assertThat(tb.get("raw")).isCloseTo(raw, within(raw / 1_000));
        assertThat(tb.get("hot")).isCloseTo(hot, within(hot / 1_000));
        assertThat(tb.get("warm")).isCloseTo(warm, within(warm / 1_000));
        assertThat(tb.get("cold")).isCloseTo(cold, within(cold / 1_000));
    }

    @Test
    void shouldRefuseWhatIsNoLoad() {
        assertThat(Invocation.of("capacity", "--sensors", "0").exit()).isEqualTo(2);
    }
}
