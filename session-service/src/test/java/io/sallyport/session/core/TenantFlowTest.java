package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.LinkLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sensors that send as fast as they are let, or at a rate of their own, for a minute of simulated time. */
class TenantFlowTest {
    private static final long RATE = 1_000_000;
    private static final long MS = 1_000_000;
    private static final int SECONDS = 60;

    private static int names;

    /** A sensor that sends {@code batchBytes} whenever it may and {@code everyMs} have passed. */
    private static final class Sensor {
        final TenantFlow.Share share;
        final int batchBytes;
        final int everyMs;
        long nextMs;
        long sentBytes;
        long longestWaitMs;

        Sensor(TenantFlow flow, int batchBytes, int everyMs) {
            this.share = flow.join("s-" + ++names, 0);
            this.batchBytes = batchBytes;
            this.everyMs = everyMs;
        }

        void step(long nowMs) {
            if (nowMs < nextMs) {
                return;
            }
            share.charge(batchBytes, 1, nowMs * MS);
            sentBytes += batchBytes;
            long waitMs = share.waitNanos(nowMs * MS) / MS;
            longestWaitMs = Math.max(longestWaitMs, waitMs);
            nextMs = nowMs + Math.max(everyMs, waitMs);
        }

        long perSecond() {
            return sentBytes / SECONDS;
        }
    }

    private static void run(List<Sensor> sensors, long seed) {
        var random = new Random(seed);
        for (long nowMs = 0; nowMs < SECONDS * 1_000L; nowMs++) {
            java.util.Collections.shuffle(sensors, random);
            for (Sensor sensor : sensors) {
                sensor.step(nowMs);
            }
        }
    }

    private static TenantFlow flow() {
        return new TenantFlow(new TenantFlow.Rate(RATE, RATE), LinkLimits.DEFAULTS, 0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldHoldACustomerToItsRateAndNotSlowItsNeighbour(long seed) {
        TenantFlow greedy = flow();
        TenantFlow modest = flow();
        var sensors = new ArrayList<Sensor>();
        for (int i = 0; i < 10; i++) {
            // Ten times the rate of the customer.
            sensors.add(new Sensor(greedy, 10_000, 10));
        }
        var neighbour = new Sensor(modest, 9_000, 10);
        sensors.add(neighbour);
        run(sensors, seed);
        long together = sensors.stream()
                .filter(sensor -> sensor != neighbour)
                .mapToLong(Sensor::perSecond)
                .sum();
        assertThat(together).as("seed %d", seed).isBetween(RATE * 95 / 100, RATE * 110 / 100);
        assertThat(neighbour.longestWaitMs).isZero();
        assertThat(neighbour.perSecond()).isEqualTo(900_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldKeepEachSensorsPartAgainstAGreedySibling(long seed) {
        TenantFlow flow = flow();
        var sensors = new ArrayList<Sensor>();
        var modest = new ArrayList<Sensor>();
        for (int i = 0; i < 9; i++) {
            // Just below a tenth of the rate each.
            modest.add(new Sensor(flow, 4_500, 50));
        }
        sensors.addAll(modest);
        var greedy = new Sensor(flow, 10_000, 1);
        sensors.add(greedy);
        run(sensors, seed);
        for (Sensor sensor : modest) {
            assertThat(sensor.longestWaitMs).as("seed %d", seed).isZero();
        }
        assertThat(greedy.perSecond()).as("seed %d", seed).isBetween(RATE / 10, RATE * 3 / 10);
    }

    @Test
    void shouldLendWhatTheOthersLeaveOver() {
        TenantFlow flow = flow();
        var sensors = new ArrayList<Sensor>();
        for (int i = 0; i < 99; i++) {
            sensors.add(new Sensor(flow, 100, 1_000));
        }
        var spool = new Sensor(flow, 10_000, 1);
        sensors.add(spool);
        run(sensors, 1);
        assertThat(spool.perSecond()).isGreaterThan(RATE * 90 / 100);
    }

    @Test
    void shouldBoundEventsToo() {
        var flow = new TenantFlow(new TenantFlow.Rate(RATE, 100), LinkLimits.DEFAULTS, 0);
        var sensor = new Sensor(flow, 1, 1);
        run(new ArrayList<>(List.of(sensor)), 1);
        assertThat(sensor.perSecond()).isBetween(95L, 110L);
    }

    @Test
    void shouldGiveThePartOfOneWhoLeftToTheOthers() {
        TenantFlow flow = flow();
        TenantFlow.Share left = flow.join("left", 0);
        TenantFlow.Share stayed = flow.join("stayed", 0);
        left.close(0);
        left.close(0);
        stayed.charge(3 * RATE, 1, 0);
        // One second is saved up; of three seconds' worth two are to be waited for, not five.
        assertThat(stayed.waitNanos(0)).isEqualTo(2_000 * MS);
    }

    /** Frames of three seconds' worth: each is read whole, and paid for before the next. */
    @Test
    void shouldMakeUpForAFrameThatWasOneTooMany() {
        TenantFlow flow = flow();
        var sensor = new Sensor(flow, (int) (3 * RATE), 1);
        run(new ArrayList<>(List.of(sensor)), 1);
        // One second is saved up, and the last frame is not paid for yet.
        assertThat(sensor.sentBytes).isLessThanOrEqualTo((SECONDS + 1 + 3) * RATE);
        assertThat(sensor.sentBytes).isGreaterThanOrEqualTo((SECONDS - 3) * RATE);
    }

    /** Ten times the rate, whatever it is asked: it is not read while it is a second behind. */
    @Test
    void shouldHoldASensorThatDoesNotHeedThePause() {
        TenantFlow flow = flow();
        TenantFlow.Share share = flow.join("deaf", 0);
        long sent = 0;
        for (long nowMs = 0; nowMs < SECONDS * 1_000L; nowMs++) {
            if (share.waitNanos(nowMs * MS) <= 1_000 * MS) {
                share.charge(10_000, 1, nowMs * MS);
                sent += 10_000;
            }
        }
        assertThat(sent).isBetween(SECONDS * RATE, (SECONDS + 2) * RATE + 10_000);
    }

    /** It comes back with a new connection whenever it would have to wait. */
    @Test
    void shouldRememberWhatASensorOwesThatComesBack() {
        TenantFlow flow = flow();
        long sent = 0;
        TenantFlow.Share share = flow.join("restless", 0);
        for (long nowMs = 0; nowMs < SECONDS * 1_000L; nowMs++) {
            if (nowMs % 1_000 == 0) {
                flow.changeRate(new TenantFlow.Rate(RATE, RATE), nowMs * MS);
                flow.forgetIdle(nowMs * MS);
            }
            if (share.waitNanos(nowMs * MS) > 0) {
                share.close(nowMs * MS);
                share = flow.join("restless", nowMs * MS);
            }
            if (share.waitNanos(nowMs * MS) <= 1_000 * MS) {
                share.charge(10_000, 1, nowMs * MS);
                sent += 10_000;
            }
        }
        assertThat(sent).isLessThan((SECONDS + 2) * RATE + 10_000);
    }

    @Test
    void shouldForgetASensorThatOwesNothingAndBoundTheOthers() {
        TenantFlow flow = flow();
        TenantFlow.Share share = flow.join("gone", 0);
        share.charge(3 * RATE, 1, 0);
        share.close(0);
        assertThat(flow.remembered()).isEqualTo(1);
        flow.forgetIdle(2_999 * MS);
        assertThat(flow.remembered()).isEqualTo(1);
        flow.forgetIdle(3_000 * MS);
        assertThat(flow.remembered()).isZero();
        for (int i = 0; i < 20_000; i++) {
            TenantFlow.Share one = flow.join("many-" + i, 3_000 * MS);
            one.charge(3 * RATE, 1, 3_000 * MS);
            one.close(3_000 * MS);
        }
        assertThat(flow.remembered()).isBetween(3_000L, 4_200L);
    }

    @Test
    void shouldTellWhatWasUsedAndWhetherMoreWouldHaveCome() {
        TenantFlow flow = flow();
        TenantFlow.Share share = flow.join("used", 0);
        share.charge(RATE / 2, 5, 0);
        assertThat(flow.takeUse(0)).isEqualTo(new TenantFlow.Use(RATE / 2, 5, false));
        share.charge(4 * RATE, 1, 0);
        assertThat(flow.takeUse(0)).isEqualTo(new TenantFlow.Use(4 * RATE, 1, true));
        // Nothing comes while it waits, and it still does.
        assertThat(flow.takeUse(2_000 * MS)).isEqualTo(new TenantFlow.Use(0, 0, true));
        assertThat(flow.takeUse(9_000 * MS)).isEqualTo(new TenantFlow.Use(0, 0, false));
    }

    /** Ten seconds' worth at a low rate, while which the rate becomes ten times as high, and low again. */
    @Test
    void shouldTakeADebtForAnAmountWhateverTheRateBecomes() {
        TenantFlow flow = flow();
        TenantFlow.Share share = flow.join("owes", 0);
        share.charge(11 * RATE, 1, 0);
        assertThat(share.waitNanos(0)).isEqualTo(10_000 * MS);
        assertThat(share.waitNanos(1_000 * MS)).isEqualTo(9_000 * MS);
        flow.changeRate(new TenantFlow.Rate(10 * RATE, RATE), 1_000 * MS);
        assertThat(share.waitNanos(1_000 * MS)).isEqualTo(900 * MS);
        flow.changeRate(new TenantFlow.Rate(RATE / 2, RATE), 1_500 * MS);
        assertThat(share.waitNanos(1_500 * MS)).isEqualTo(8_000 * MS);
        assertThat(share.waitNanos(9_500 * MS)).isZero();
    }

    @Test
    void shouldPayASensorsPartFasterWhenOthersLeave() {
        TenantFlow flow = flow();
        var others = new ArrayList<TenantFlow.Share>();
        for (int i = 0; i < 99; i++) {
            others.add(flow.join("other-" + i, 0));
        }
        TenantFlow.Share share = flow.join("stays", 0);
        others.get(0).charge(50 * RATE, 1, 0);
        share.charge(RATE, 1, 0);
        // 0.01 of it were saved up; of the rest it pays a hundredth a second.
        assertThat(share.waitNanos(0)).isEqualTo(50_000 * MS);
        share.charge(1, 1, 0);
        others.get(0).charge(100 * RATE, 1, 0);
        assertThat(share.waitNanos(0)).isEqualTo(99_000_100_000L);
        others.forEach(other -> other.close(1_000 * MS));
        assertThat(share.waitNanos(1_000 * MS)).isEqualTo(980_001_000L);
    }

    /** What it owes from a time of plenty is not for ever at a floor; it is still more than it may have on its way. */
    @Test
    void shouldBoundWhatASensorOwesByWhatItMayHaveOnItsWay() {
        TenantFlow flow = flow();
        TenantFlow.Share share = flow.join("rich", 0);
        share.charge(1_000_000_000L, 1, 0);
        long window = 2L * LinkLimits.DEFAULTS.maxBatchBytes();
        assertThat(share.waitNanos(0)).isEqualTo((2 * RATE + window) * 1_000);
        flow.changeRate(new TenantFlow.Rate(1_000, RATE), 0);
        assertThat(share.waitNanos(0)).isEqualTo((2_000 + window) * 1_000_000);
    }
}
