package io.sallyport.sim.fleet;

import java.nio.file.Path;

/** What a fleet sends. */
public sealed interface Workload {

    /**
     * A fixed number of generated events over the whole fleet.
     *
     * @param events over all sensors together
     * @param ratePerS events per second over all sensors together; 0 = as fast as the gateway takes them
     * @param payloadBytes of each event; 0 = realistic sizes of 1 to 64 KB, 32 KB on average
     */
    record Generated(long events, double ratePerS, int payloadBytes) implements Workload {}

    /** Generated events until the fleet is closed. */
    record Endless(double ratePerS, int payloadBytes) implements Workload {}

    /**
     * Recorded events: JSON lines (gzip where the name ends in .gz) with `sensor`, `type`, `ts_us` and `payload`. Each
     * `sensor` of the file is one sensor, and each payload is sent as its JSON text stands in the file.
     *
     * @param ratePerS events per second over all sensors together; 0 = as fast as the gateway takes them
     */
    record Replay(Path file, double ratePerS) implements Workload {}
}
