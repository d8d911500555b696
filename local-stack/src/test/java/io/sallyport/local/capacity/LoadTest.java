package io.sallyport.local.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The figures that a cell was designed with; they were rounded on the way, by less than half a percent. */
class LoadTest {
    private static final Load CELL = new Load(100_000, 10_000, 32_000);

    @ParameterizedTest
    @CsvSource({
        "100000, 11574, 370e6, 15, 96e12",
        "1000000, 115740, 3.7e9, 149, 960e12",
        "10000000, 1.16e6, 37e9, 1482, 9.6e15"
    })
    void shouldGiveTheDesignsScales(
            long sensors, double eventsPerS, double bytesPerS, long partitions, double hotBytes) {
        var load = new Load(sensors, 10_000, 32_000);
        assertThat(load.eventsPerS()).isCloseTo(eventsPerS, withinPercentage(0.5));
        assertThat(load.bytesPerS()).isCloseTo(bytesPerS, withinPercentage(0.5));
        assertThat(load.partitions()).isEqualTo(partitions);
        assertThat(tier("hot").bytes(load)).isCloseTo(hotBytes, withinPercentage(0.5));
    }

    @ParameterizedTest
    @CsvSource({"raw, 2.67e12", "hot, 96e12", "warm, 671e12", "cold, 2.88e15"})
    void shouldGiveTheDesignsTiers(String name, double bytes) {
        assertThat(tier(name).bytes(CELL)).isCloseTo(bytes, withinPercentage(0.5));
    }

    @Test
    void shouldCountWhatTwoTiersShareOnce() throws Exception {
        var prices = new Prices("EUR", 1, 0.5);
        assertThat(prices.perMonth(tier("hot"), CELL)).isZero();
        assertThat(prices.perMonth(tier("warm"), CELL)).isCloseTo(672_000, withinPercentage(0.1));
        assertThat(prices.perMonth(tier("cold"), CELL)).isCloseTo(1_440_000, withinPercentage(0.1));
        assertThat(Prices.example().currency()).isEqualTo("USD");
    }

    @Test
    void shouldRefuseWhatIsNoLoadAndNoPrices(@TempDir Path dir) throws Exception {
        assertThatThrownBy(() -> new Load(0, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Load(1, Double.NaN, 1)).isInstanceOf(IllegalArgumentException.class);
        Path file = dir.resolve("prices.json");
        for (String json : new String[] {"", "[]", "{\"currency\":\"EUR\"}", "{\"logGbMonth\":1}"}) {
            Files.writeString(file, json);
            assertThatThrownBy(() -> Prices.read(file))
                    .as(json)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("log_gb_month");
        }
    }

    private static Tier tier(String name) {
        return Tier.all().stream()
                .filter(tier -> tier.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
