package io.sallyport.session.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.log.v1.CustomerDemand;
import io.sallyport.session.core.CellDemand;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.CustomerStanding;
import io.sallyport.session.core.CustomerTerms;
import io.sallyport.session.core.DailyUsage;
import io.sallyport.session.core.Now;
import io.sallyport.session.core.TenantFlow;
import io.sallyport.session.metrics.GatewayMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A node that has just started, beside one that held all of a customer's sensors; the clock is the test's. */
class CustomerQuotasTest {
    private static final int NODE = 1;
    private static final int OTHER = 0;
    private static final int WORD_MS = 5_000;
    private static final long MS = 1_000_000;
    private static final long DAY_MS = 86_400_000;
    private static final TenantFlow.Rate RATE = new TenantFlow.Rate(256_000_000, 200_000);
    private static final long FLOOR = 256_000;

    private final Control control = new Control();
    private final CustomerQuotas quotas = new CustomerQuotas(
            new FlowLimits(RATE, FLOOR), LinkLimits.DEFAULTS, control, new GatewayMetrics(new SimpleMeterRegistry()));
    private long nowMs = 1_000_000;
    private long wallMs = 10 * DAY_MS + DAY_MS / 2;
    /** As the other node says. */
    private int elsewhere = 10_000;

    private static final class Control implements ControlData {
        final DailyUsage usage = new DailyUsage();
        final CellDemand demand = new CellDemand(NODE);
        CustomerTerms terms = CustomerTerms.NONE;

        @Override
        public boolean isLoaded() {
            return true;
        }

        @Override
        public CustomerStanding standing(String customerId) {
            return CustomerStanding.ACTIVE;
        }

        @Override
        public CustomerTerms terms(String customerId) {
            return terms;
        }

        @Override
        public DailyUsage usage() {
            return usage;
        }

        @Override
        public CellDemand demand() {
            return demand;
        }

        @Override
        public Optional<String> movedTo(String customerId) {
            return Optional.empty();
        }
    }

    private Now now() {
        return new Now(nowMs, wallMs * 1_000);
    }

    private void words() {
        control.demand.heard(NODE, control.demand.say(nowMs * MS), nowMs);
        control.demand.heard(
                OTHER,
                elsewhere == 0
                        ? List.of()
                        : List.of(CustomerDemand.newBuilder()
                                .setCustomerId("acme")
                                .setSensors(elsewhere)
                                .build()),
                nowMs);
    }

    /** A millisecond, and what is due then. */
    private void step() {
        nowMs++;
        wallMs++;
        if (nowMs % WORD_MS == 0) {
            words();
        }
        if (nowMs % 1_000 == 0) {
            quotas.renew(now());
        }
    }

    private TenantFlow.Share join(String sensorId) {
        return quotas.join(new SensorKey("acme", sensorId), now());
    }

    private long waitMs(TenantFlow.Share share) {
        return share.waitNanos(nowMs * MS) / MS;
    }

    /** Until the share has nothing to wait for any more. */
    private long waited(TenantFlow.Share share) {
        long from = nowMs;
        while (waitMs(share) > 0 && nowMs - from < 60_000) {
            step();
        }
        return nowMs - from;
    }

    @Test
    void shouldLetSensorsMoveToANodeThatHasJustStarted() {
        words();
        var joined = new ArrayList<TenantFlow.Share>();
        long longestMs = 0;
        for (int i = 0; i < 500; i++) {
            TenantFlow.Share share = join("s-" + i);
            joined.add(share);
            share.charge(30_000, 100, nowMs * MS);
            longestMs = Math.max(longestMs, waitMs(share));
            step();
            step();
        }
        assertThat(longestMs).isLessThan(10_000);
        for (TenantFlow.Share share : joined) {
            assertThat(waited(share)).isLessThan(10_000);
        }
        // All of them for a minute, as fast as they may: the other node's sensors are silent, so everything is theirs.
        long from = nowMs;
        long events = 0;
        while (nowMs - from < 60_000) {
            for (TenantFlow.Share share : joined) {
                if (waitMs(share) == 0) {
                    share.charge(30_000, 100, nowMs * MS);
                    events += 100;
                }
            }
            step();
        }
        assertThat(events / 60).isBetween(RATE.eventsPerSecond() * 80 / 100, RATE.eventsPerSecond() * 105 / 100);
    }

    @Test
    void shouldTakeTheLargestBatchOfALoneSensorOnANewNode() {
        words();
        TenantFlow.Share share = join("lone");
        share.charge(LinkLimits.DEFAULTS.maxBatchBytes(), LinkLimits.DEFAULTS.maxBatchEvents(), nowMs * MS);
        assertThat(waitMs(share)).isGreaterThan(10_000);
        // Its node tells the others that it waits, and may have what they do not want.
        assertThat(waited(share)).isLessThan(WORD_MS + 1_100);
    }

    @Test
    void shouldNotKeepWhatIsOwedOverMidnightNorAboveARaisedQuota() {
        control.terms = new CustomerTerms(0, 0, 1, false);
        quotas.usage("acme").add(1, DailyUsage.dayOf(wallMs));
        words();
        TenantFlow.Share share = join("slowed");
        step();
        share.charge(1 << 20, 10, nowMs * MS);
        words();
        quotas.renew(now());
        // It pays at the whole floor, all of which the other node leaves to it.
        assertThat(waitMs(share)).isGreaterThan(2_000);
        control.terms = new CustomerTerms(0, 0, 1L << 40, false);
        assertThat(waited(share)).isLessThan(1_100);

        control.terms = new CustomerTerms(0, 0, 1, false);
        quotas.renew(now());
        share.charge(300_000_000, 10, nowMs * MS);
        assertThat(waitMs(share)).isGreaterThan(10_000);
        wallMs = (wallMs / DAY_MS + 1) * DAY_MS - 100;
        quotas.renew(now());
        assertThat(waitMs(share)).isGreaterThan(10_000);
        assertThat(waited(share)).isLessThan(1_300);
    }

    @Test
    void shouldGiveASingleNodeEverything() {
        elsewhere = 0;
        words();
        TenantFlow.Share one = join("one");
        TenantFlow.Share two = join("two");
        one.charge(RATE.bytesPerSecond() * 3 / 2, 1, nowMs * MS);
        assertThat(waitMs(one)).isEqualTo(500);
        assertThat(waitMs(two)).isZero();
    }
}
