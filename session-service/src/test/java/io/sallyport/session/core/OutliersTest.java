package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutliersTest {
    private static List<Outliers.Volume<Integer>> fleet(long... bytes) {
        var fleet = new ArrayList<Outliers.Volume<Integer>>();
        for (int i = 0; i < bytes.length; i++) {
            fleet.add(new Outliers.Volume<>(i, bytes[i]));
        }
        return fleet;
    }

    private static List<Integer> named(long... bytes) {
        return Outliers.find(fleet(bytes)).outliers().stream()
                .map(Outliers.Volume::sensor)
                .toList();
    }

    @Test
    void shouldNameWhoBringsAHundredTimesTheMedian() {
        assertThat(named(20_000, 30_000, 2_999_999, 30_000, 40_000)).isEmpty();
        assertThat(named(20_000, 30_000, 3_000_000, 30_000, 40_000)).containsExactly(2);
    }

    @Test
    void shouldNotCallAnybodyUnusualInAQuietOrASmallFleet() {
        assertThat(named(0, 0, 0, 0, Outliers.MIN_BYTES - 1)).isEmpty();
        assertThat(named(0, 0, 0, 0, Outliers.MIN_BYTES)).containsExactly(4);
        assertThat(named(1, 1, 1, 1_000_000_000)).isEmpty();
    }

    @Test
    void shouldNameOnlyTheLargest() {
        var bytes = new long[60];
        for (int i = 0; i < 20; i++) {
            bytes[i] = Outliers.MIN_BYTES + i;
        }
        assertThat(named(bytes)).hasSize(Outliers.MAX_NAMED).startsWith(19, 18).endsWith(10);
    }
}
