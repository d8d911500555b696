package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

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

    /** A sensor that sends {@code batchBytes} whenever it may and {@code everyMs} have passed. */
    private static final class Sensor {
        final TenantFlow.Share share;
        final int batchBytes;
        final int everyMs;
        long nextMs;
        long sentBytes;
        long longestWaitMs;

        Sensor(TenantFlow flow, int batchBytes, int everyMs) {
            this.share = flow.join();
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
        return new TenantFlow(new TenantFlow.Rate(RATE, RATE));
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
        var flow = new TenantFlow(new TenantFlow.Rate(RATE, 100));
        var sensor = new Sensor(flow, 1, 1);
        run(new ArrayList<>(List.of(sensor)), 1);
        assertThat(sensor.perSecond()).isBetween(95L, 110L);
    }

    @Test
    void shouldGiveThePartOfOneWhoLeftToTheOthers() {
        TenantFlow flow = flow();
        TenantFlow.Share left = flow.join();
        TenantFlow.Share stayed = flow.join();
        left.close();
        left.close();
        stayed.charge(3 * RATE, 1, 0);
        // One second is saved up; of three seconds' worth two are to be waited for, not five.
        assertThat(stayed.waitNanos(0)).isEqualTo(2_000 * MS);
    }
}
