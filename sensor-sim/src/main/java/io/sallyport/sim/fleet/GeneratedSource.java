package io.sallyport.sim.fleet;

import io.sallyport.sim.core.SensorEvent;
import java.util.List;
import java.util.SplittableRandom;

/** Generated events, each with a later time than the one before. */
final class GeneratedSource implements EventSource {
    private final PayloadPool pool;
    private final SplittableRandom random;
    private long remaining;
    private long lastTsUs;

    /** @param remaining events still to make, those before a restart not counted */
    GeneratedSource(PayloadPool pool, long seed, long remaining) {
        this.pool = pool;
        this.random = new SplittableRandom(seed);
        this.remaining = remaining;
    }

    @Override
    public void take(int max, long wallUs, List<SensorEvent> out) {
        for (int i = 0; i < max && remaining > 0; i++) {
            lastTsUs = Math.max(lastTsUs + 1, wallUs);
            out.add(pool.next(lastTsUs, random));
            remaining--;
        }
    }

    @Override
    public boolean isExhausted() {
        return remaining <= 0;
    }
}
