package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QuotaSharesTest {
    private static final double ALL = Double.POSITIVE_INFINITY;

    private static QuotaShares.Claim claim(int node, long sensors, double wants) {
        return new QuotaShares.Claim(node, sensors, wants);
    }

    private static double[] shares(QuotaShares.Claim... claims) {
        return List.of(claims).stream()
                .mapToDouble(of -> Math.round(QuotaShares.of(of.node(), List.of(claims)) * 1_000) / 1_000.0)
                .toArray();
    }

    @Test
    void shouldDealOutBySensorsWhereAllWantMore() {
        assertThat(shares(claim(1, 30, ALL), claim(2, 10, ALL))).containsExactly(0.75, 0.25);
    }

    @Test
    void shouldLendWhatIsNotWanted() {
        assertThat(shares(claim(1, 10, ALL), claim(2, 10, 0.1), claim(3, 20, 0.05), claim(4, 10, ALL)))
                .containsExactly(0.425, 0.1, 0.05, 0.425);
    }

    @Test
    void shouldGiveNobodyMoreForWantingWhatIsAnotherNodesPart() {
        assertThat(shares(claim(1, 10, 0.9), claim(2, 10, ALL))).containsExactly(0.5, 0.5);
    }

    @Test
    void shouldDealOutWhatNobodyWants() {
        assertThat(shares(claim(1, 30, 0), claim(2, 10, 0.2))).containsExactly(0.6, 0.4);
        assertThat(QuotaShares.of(3, List.of(claim(1, 30, 0)))).isZero();
        assertThat(QuotaShares.of(3, List.of())).isZero();
    }

    /** With the same claims, whatever they are: all shares are 1, and nobody has less than its part unless it wants less. */
    @Test
    void shouldAddUpToOneAndKeepEachFloor() {
        var random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            var claims = new ArrayList<QuotaShares.Claim>();
            long sensors = 0;
            for (int node = random.nextInt(12); node >= 0; node--) {
                long connected = 1 + random.nextInt(random.nextBoolean() ? 3 : 18_000);
                double wants = switch (random.nextInt(4)) {
                    case 0 -> ALL;
                    case 1 -> 0;
                    case 2 -> random.nextDouble() / 20;
                    default -> random.nextDouble() * 2;
                };
                claims.add(claim(node, connected, wants));
                sensors += connected;
            }
            double sum = 0;
            for (QuotaShares.Claim of : claims) {
                double share = QuotaShares.of(of.node(), claims);
                double floor = (double) of.sensors() / sensors;
                assertThat(share).as("round %d", round).isGreaterThanOrEqualTo(Math.min(of.wants(), floor) - 1e-9);
                sum += share;
            }
            assertThat(sum).as("round %d", round).isCloseTo(1, within(1e-9));
        }
    }
}
