package io.sallyport.sim.core;

import java.util.List;

/**
 * What a spool holds when a sensor starts.
 *
 * @param entries of the state's epoch above its watermark, ascending by seq; what is missing between them is lost
 * @param messages the last answered messages, oldest first
 */
public record Recovered(SensorState state, List<Entry> entries, List<RememberedMessage> messages) {

    /** Nothing: a new install. */
    public static final Recovered NOTHING = new Recovered(SensorState.NEW, List.of(), List.of());

    /**
     * One number of the spool.
     *
     * @param payloadBytes of the event
     * @param type of the event
     * @param renumbered it had a number in an earlier epoch
     * @param skipReason 0 where the event is held; otherwise it was given up for that reason
     */
    public record Entry(long seq, int payloadBytes, int type, boolean renumbered, int skipReason) {}
}
