package io.sallyport.local.cli;

import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetReport;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;

/**
 * Waits for the end of a fleet's run and says how it goes.
 *
 * @param gateway as it was named
 * @param patience how long nothing may be acknowledged
 */
record SimWatch(Fleet fleet, String gateway, StopSignal stop, Duration patience, PrintWriter err) {
    private static final Duration LOOK = Duration.ofMillis(500);
    /** A gateway that is started anew is away for less. */
    private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(30);

    /** Empty where every event is settled; otherwise why the run ended before. */
    Optional<String> untilDone(boolean onTerminal) throws InterruptedException {
        long begin = System.nanoTime();
        long lastNews = begin;
        long settled = -1;
        boolean told = false;
        while (!fleet.awaitDone(LOOK)) {
            FleetReport now = fleet.report();
            if (fleet.failure().isPresent()) {
                return fleet.failure();
            }
            if (stop.isRequested()) {
                return Optional.of("stopped before every event was acknowledged");
            }
            Optional<String> unreachable =
                    fleet.connectProblem().map(reason -> "cannot connect to " + gateway + ": " + reason);
            if (unreachable.isPresent()) {
                if (isOver(begin, CONNECT_PATIENCE)) {
                    return unreachable;
                }
                if (!told) {
                    told = true;
                    err.println("sallyport: " + unreachable.get() + "; trying for " + CONNECT_PATIENCE.toSeconds()
                            + " s ...");
                    err.flush();
                }
            }
            if (now.eventsAcked() + now.skipped() > settled) {
                settled = now.eventsAcked() + now.skipped();
                lastNews = System.nanoTime();
            } else if (isOver(lastNews, patience)) {
                return unreachable.or(() -> Optional.of("nothing was acknowledged for " + patience.toSeconds() + " s"));
            }
            if (onTerminal) {
                err.print("\r%d sent, %d acknowledged, %d connected   "
                        .formatted(now.eventsSent(), now.eventsAcked(), now.connected()));
                err.flush();
            }
        }
        if (onTerminal) {
            err.println();
        }
        return Optional.empty();
    }

    private static boolean isOver(long sinceNanos, Duration limit) {
        return System.nanoTime() - sinceNanos > limit.toNanos();
    }
}
