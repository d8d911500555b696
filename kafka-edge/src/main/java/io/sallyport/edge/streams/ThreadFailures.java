package io.sallyport.edge.streams;

import java.util.ArrayDeque;

/** How often stream threads may die before the instance gives up: a bound, so that a defect never becomes a loop. */
final class ThreadFailures {
    private final int most;
    private final long withinMs;
    private final ArrayDeque<Long> failuresMs = new ArrayDeque<>();

    ThreadFailures(int most, long withinMs) {
        this.most = most;
        this.withinMs = withinMs;
    }

    /** Counts a failure; true while it may be answered with a new thread. */
    synchronized boolean mayReplace(long nowMs) {
        while (!failuresMs.isEmpty() && nowMs - failuresMs.peekFirst() > withinMs) {
            failuresMs.removeFirst();
        }
        failuresMs.addLast(nowMs);
        return failuresMs.size() <= most;
    }
}
