package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H20: 2,000 sensors of one customer come back within one second; 100 a second may connect. */
class H20EverybodyReconnectsTest {
    private static final int SENSORS = 2_000;
    private static final int PER_SECOND = 100;

    private record Try(long atMs, int number) implements Comparable<Try> {
        @Override
        public int compareTo(Try other) {
            return Long.compare(atMs, other.atMs);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldAdmitAtTheLimitAndSpreadTheOthers(long seed) {
        var random = new Random(seed);
        var rate = new ConnectRate(PER_SECOND);
        var tries = new PriorityQueue<Try>();
        for (int i = 0; i < SENSORS; i++) {
            tries.add(new Try(random.nextInt(1_000), 1));
        }
        var acceptedInSecond = new HashMap<Long, Integer>();
        // Values given in a second, and those of them in each 100 ms bucket.
        var given = new HashMap<Long, Integer>();
        var bucket = new HashMap<String, Integer>();
        int accepted = 0;
        int mostTries = 0;
        long lastMs = 0;
        while (!tries.isEmpty()) {
            Try next = tries.remove();
            int middle = rate.connect(next.atMs());
            if (middle == 0) {
                accepted++;
                acceptedInSecond.merge(next.atMs() / 1_000, 1, Integer::sum);
                mostTries = Math.max(mostTries, next.number());
                lastMs = next.atMs();
            } else {
                int retryAfterMs = middle / 2 + random.nextInt(middle);
                given.merge(next.atMs() / 1_000, 1, Integer::sum);
                bucket.merge(next.atMs() / 1_000 + ":" + retryAfterMs / 100, 1, Integer::sum);
                tries.add(new Try(next.atMs() + retryAfterMs, next.number() + 1));
            }
        }
        assertThat(accepted).isEqualTo(SENSORS);
        assertThat(lastMs).as("seed %d", seed).isLessThan(60_000);
        assertThat(mostTries).as("seed %d", seed).isLessThanOrEqualTo(10);
        assertThat(acceptedInSecond.values()).allMatch(count -> count <= PER_SECOND * 1.25);
        for (long second = 3; second < 15; second++) {
            assertThat(acceptedInSecond.get(second))
                    .as("seed %d, second %d", seed, second)
                    .isBetween(90, 110);
        }
        bucket.forEach((key, count) -> {
            int of = given.get(Long.parseLong(key.split(":")[0]));
            if (of >= 500) {
                assertThat(count).as("seed %d, bucket %s of %d", seed, key, of).isLessThanOrEqualTo(of / 20);
            }
        });
    }
}
