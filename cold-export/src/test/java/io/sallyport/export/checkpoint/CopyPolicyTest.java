package io.sallyport.export.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.checkpoint.CopyPolicy.Copy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CopyPolicyTest {
    private static final long NOW = Instant.parse("2026-11-30T12:34:56Z").toEpochMilli();
    private static final long HOUR = Duration.ofHours(1).toMillis();

    @Test
    void shouldKeepAllOfTheLastHoursAndTheLastOfEachHourBefore() {
        var copies = new ArrayList<Copy>();
        for (int second = 0; second < 86_400; second++) {
            copies.add(copy(86_400 - second, NOW - 1_000L * second));
        }
        Collections.shuffle(copies, new Random(1));
        List<Copy> surplus = CopyPolicy.surplus(copies, NOW);
        copies.removeAll(new java.util.HashSet<>(surplus));

        assertThat(copies)
                .filteredOn(copy -> copy.atMs() >= NOW - CopyPolicy.ALL_MS)
                .hasSize(7_201);
        assertThat(copies)
                .filteredOn(copy -> copy.atMs() < NOW - CopyPolicy.ALL_MS)
                .as("from 12 of the day before to 9; of 10 there are younger ones")
                .hasSize(22)
                .allSatisfy(copy -> assertThat(copy.atMs() % HOUR).isEqualTo(HOUR - 1_000));
        assertThat(CopyPolicy.surplus(copies, NOW)).as("nothing more").isEmpty();
    }

    @Test
    void shouldKeepTheNewestHoweverOldItIs() {
        assertThat(CopyPolicy.surplus(List.of(copy(1, 0), copy(2, 1), copy(3, 1)), NOW))
                .containsExactly(copy(1, 0), copy(2, 1));
        assertThat(CopyPolicy.surplus(List.of(copy(1, 0)), NOW)).isEmpty();
    }

    private static Copy copy(long size, long atMs) {
        return new Copy("%019d-00000000.checkpoint".formatted(size), atMs);
    }
}
