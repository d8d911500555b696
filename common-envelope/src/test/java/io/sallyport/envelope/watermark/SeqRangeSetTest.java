package io.sallyport.envelope.watermark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeqRangeSetTest {
    private static final int UNIVERSE = 60;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void shouldAgreeWithASetOfNumbersOnEveryRandomSchedule(long seed) {
        var random = new Random(seed);
        // The same schedule at the bottom and at the very top of the number space, where sums would overflow.
        long base = random.nextBoolean() ? 0 : Long.MAX_VALUE - UNIVERSE;
        var set = new SeqRangeSet();
        var model = new TreeSet<Long>();
        for (int step = 0; step < 2_000; step++) {
            long a = base + 1 + random.nextInt(UNIVERSE);
            long b = a + random.nextInt((int) Math.min(8, base + UNIVERSE - a + 1));
            switch (random.nextInt(4)) {
                case 0 ->
                    assertThat(set.add(a)).as("seed %d step %d", seed, step).isEqualTo(model.add(a));
                case 1 -> {
                    set.add(a, b);
                    for (long s = a; ; s++) {
                        model.add(s);
                        if (s == b) {
                            break;
                        }
                    }
                }
                case 2 -> {
                    set.remove(a, b);
                    model.subSet(a, true, b, true).clear();
                }
                default -> {
                    long watermark = a - 1;
                    long expected = watermark;
                    while (expected < Long.MAX_VALUE && model.contains(expected + 1)) {
                        expected++;
                    }
                    assertThat(set.drainContiguous(watermark))
                            .as("seed %d step %d", seed, step)
                            .isEqualTo(expected);
                    model.headSet(expected, true).clear();
                }
            }
            assertThat(numbers(set.ranges())).as("seed %d step %d", seed, step).isEqualTo(List.copyOf(model));
            assertThat(set.contains(a)).isEqualTo(model.contains(a));
            assertThat(set.count()).isEqualTo(model.size());
            assertThat(set.last()).isEqualTo(model.isEmpty() ? 0 : model.last());
            var present = numbers(set.presentIn(a, b));
            var missing = numbers(set.missingIn(a, b));
            assertThat(present).isEqualTo(List.copyOf(model.subSet(a, true, b, true)));
            assertThat(present.size() + missing.size()).isEqualTo((int) (b - a + 1));
            assertThat(missing).doesNotContainAnyElementsOf(model.isEmpty() ? List.of(-1L) : model);
            assertNeverTouching(set);
        }
    }

    @Test
    void shouldRefuseWhatIsNoRange() {
        var set = new SeqRangeSet();
        assertThatThrownBy(() -> set.add(0, 5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> set.add(5, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SeqRange(-1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldNotChangeThroughACopy() {
        var set = new SeqRangeSet();
        set.add(3, 4);
        var copy = set.copy();
        copy.add(10);
        assertThat(set.ranges()).containsExactly(new SeqRange(3, 4));
    }

    private static void assertNeverTouching(SeqRangeSet set) {
        for (int i = 1; i < set.size(); i++) {
            assertThat(set.get(i).from() - 1).isGreaterThan(set.get(i - 1).to());
        }
    }

    private static List<Long> numbers(List<SeqRange> ranges) {
        var numbers = new ArrayList<Long>();
        for (SeqRange range : ranges) {
            for (long s = range.from(); ; s++) {
                numbers.add(s);
                if (s == range.to()) {
                    break;
                }
            }
        }
        return numbers;
    }
}
