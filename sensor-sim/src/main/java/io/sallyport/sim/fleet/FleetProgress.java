package io.sallyport.sim.fleet;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** How far a fleet is. Thread-safe. */
final class FleetProgress {
    private static final long LOOK_MS = 20;

    private final FleetCounters counters = new FleetCounters();
    private final long startNs = System.nanoTime();
    private final CountDownLatch notConnected;
    private final CountDownLatch notDone;
    private final AtomicReference<String> failure = new AtomicReference<>();
    private final AtomicReference<String> connectProblem = new AtomicReference<>();
    private final long events;
    private volatile boolean linked;

    /** @param events of all sensors together */
    FleetProgress(int sensors, long events) {
        notConnected = new CountDownLatch(sensors);
        notDone = new CountDownLatch(sensors);
        this.events = events;
    }

    long events() {
        return events;
    }

    FleetCounters counters() {
        return counters;
    }

    long nowUs() {
        return (System.nanoTime() - startNs) / 1_000;
    }

    void sensorConnected() {
        notConnected.countDown();
    }

    void sensorDone() {
        notDone.countDown();
    }

    /** The first reason is kept. */
    void failed(String reason) {
        failure.compareAndSet(null, reason);
    }

    Optional<String> failure() {
        return Optional.ofNullable(failure.get());
    }

    /** A connection stands, TLS included. */
    void linked() {
        linked = true;
    }

    void notLinked(String reason) {
        connectProblem.set(reason);
    }

    Optional<String> connectProblem() {
        return linked ? Optional.empty() : Optional.ofNullable(connectProblem.get());
    }

    boolean awaitConnected(Duration timeout) throws InterruptedException {
        return await(notConnected, timeout);
    }

    boolean awaitDone(Duration timeout) throws InterruptedException {
        return await(notDone, timeout);
    }

    private boolean await(CountDownLatch latch, Duration timeout) throws InterruptedException {
        long deadlineNs = System.nanoTime() + timeout.toNanos();
        while (!latch.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
            if (failure.get() != null || System.nanoTime() - deadlineNs >= 0) {
                return false;
            }
        }
        return true;
    }
}
