package io.sallyport.sim.fleet;

import io.sallyport.sim.core.SensorEvent;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** The recorded events of one sensor, in the order of the file; a reader thread fills it, and waits where it is full. */
final class ReplaySource implements EventSource {
    private static final int READ_AHEAD_EVENTS = 512;

    private final BlockingQueue<SensorEvent> ahead = new ArrayBlockingQueue<>(READ_AHEAD_EVENTS);
    private long remaining;
    /** Events at the start of the file that were taken before a restart; the reader's alone. */
    private long skipped;

    /**
     * @param count events of this sensor in the file
     * @param taken how many of them were taken before a restart
     */
    ReplaySource(long count, long taken) {
        this.remaining = Math.max(0, count - taken);
        this.skipped = taken;
    }

    /** For the reader's thread. */
    void put(SensorEvent event) throws InterruptedException {
        if (skipped > 0) {
            skipped--;
        } else {
            ahead.put(event);
        }
    }

    @Override
    public void take(int max, long wallUs, List<SensorEvent> out) {
        remaining -= ahead.drainTo(out, max);
    }

    @Override
    public boolean isExhausted() {
        return remaining == 0;
    }
}
