package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.CustomerUsage;
import java.util.List;
import org.junit.jupiter.api.Test;

class DailyUsageTest {
    private static final int TODAY = 20_000;

    private final DailyUsage usage = new DailyUsage();

    private static CustomerUsage of(String customer, int day, long bytes) {
        return CustomerUsage.newBuilder()
                .setCustomerId(customer)
                .setDay(day)
                .setBytes(bytes)
                .build();
    }

    @Test
    void shouldSumWhatAllNodesCountedToday() {
        usage.counter("acme").add(10, TODAY);
        usage.counter("globex").add(5, TODAY);
        usage.heard(1, List.of(of("acme", TODAY, 100), of("globex", TODAY - 1, 7)));
        usage.heard(2, List.of(of("acme", TODAY, 1_000)));
        usage.heard(2, List.of(of("acme", TODAY, 2_000)));
        assertThat(usage.total("acme", TODAY)).isEqualTo(2_110);
        assertThat(usage.total("globex", TODAY)).isEqualTo(5);
        assertThat(usage.total("nobody", TODAY)).isZero();
    }

    @Test
    void shouldBeginAnewEachDay() {
        usage.counter("acme").add(10, TODAY);
        usage.counter("acme").add(3, TODAY + 1);
        assertThat(usage.total("acme", TODAY + 1)).isEqualTo(3);
        assertThat(usage.today(TODAY + 1)).containsExactly(of("acme", TODAY + 1, 3));
        assertThat(usage.today(TODAY + 2)).isEmpty();
    }

    @Test
    void shouldGoOnWhereTheLastIncarnationStopped() {
        usage.continueFrom(List.of(of("acme", TODAY, 100)));
        usage.counter("acme").add(10, TODAY);
        assertThat(usage.total("acme", TODAY)).isEqualTo(110);
        assertThat(usage.today(TODAY)).containsExactly(of("acme", TODAY, 110));
    }

    @Test
    void shouldKnowWhereADayEnds() {
        assertThat(DailyUsage.dayOf(86_400_000L * TODAY - 1)).isEqualTo(TODAY - 1);
        assertThat(DailyUsage.dayOf(86_400_000L * TODAY)).isEqualTo(TODAY);
        assertThat(DailyUsage.restOfDayMs(86_400_000L * TODAY - 1)).isEqualTo(1);
    }

    @Test
    void shouldTakeTheFloorOnlyOverTheQuotaAndNeverAboveTheRate() {
        var usual = new TenantFlow.Rate(1_000, 50);
        var terms = new CustomerTerms(0, 20, 100, false);
        assertThat(terms.rate(usual, 10, 99)).isEqualTo(new TenantFlow.Rate(1_000, 20));
        assertThat(terms.rate(usual, 10, 100)).isEqualTo(new TenantFlow.Rate(10, 20));
        assertThat(terms.rate(usual, 5_000, 100)).isEqualTo(new TenantFlow.Rate(1_000, 20));
        assertThat(CustomerTerms.NONE.rate(usual, 10, Long.MAX_VALUE)).isEqualTo(usual);
    }
}
