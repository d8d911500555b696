package io.sallyport.sim.fleet;

import io.sallyport.sim.core.SensorEvent;
import java.util.List;

/** Where one sensor gets its events from. Belongs to the sensor's thread. */
interface EventSource {

    /** Adds at most {@code max} events, fewer where no more are there now. */
    void take(int max, long wallUs, List<SensorEvent> out);

    /** Whether there will never be another one. */
    boolean isExhausted();
}
