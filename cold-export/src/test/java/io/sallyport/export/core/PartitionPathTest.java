package io.sallyport.export.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionPathTest {
    @ParameterizedTest
    @CsvSource({
        "0,1970-01-01",
        "-1,1970-01-01",
        "86399999999,1970-01-01",
        "86400000000,1970-01-02",
        "1796083199999999,2026-11-30",
        "1796083200000000,2026-12-01",
        "7258118400000000,2199-12-31",
        "9223372036854775807,2199-12-31",
        "-9223372036854775808,1970-01-01"
    })
    void shouldTakeTheDateInUtcAndKeepTheYearsThatEnginesRead(long us, String date) {
        assertThat(PartitionPath.date(us)).isEqualTo(date);
    }

    @Test
    void shouldLeaveAdmittedIdsAsTheyAre() {
        assertThat(PartitionPath.of("acme-2.eu_1", "2026-11-30"))
                .isEqualTo("structured/customer=acme-2.eu_1/date=2026-11-30/");
    }

    @Test
    void shouldGiveBackAnyIdItEncoded() {
        var random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            var id = new StringBuilder();
            for (int length = random.nextInt(6); length > 0; length--) {
                id.appendCodePoint(
                        random.nextBoolean() ? " %/.-_=a0Z\\".charAt(random.nextInt(11)) : random.nextInt(0xd7ff));
            }
            String path = PartitionPath.of(id.toString(), "2026-11-30");
            assertThat(PartitionPath.customerOf(path + "f.parquet"))
                    .as("seed 1, %s", path)
                    .contains(id.toString());
            assertThat(path).matches("structured/customer=[A-Za-z0-9%._-]+/date=2026-11-30/");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "structured/customer=%2/date=2026-11-30/f",
                "structured/customer=%zz/date=2026-11-30/f",
                "structured/customer=%61/date=2026-11-30/f",
                "structured/customer=/date=2026-11-30/f",
                "structured/f",
                "other/customer=a/date=2026-11-30/f"
            })
    void shouldNotReadAnyOtherPath(String path) {
        assertThat(PartitionPath.customerOf(path)).isEmpty();
    }
}
