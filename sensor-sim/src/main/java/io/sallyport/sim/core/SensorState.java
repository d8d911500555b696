package io.sallyport.sim.core;

/**
 * What a sensor must find again after a crash, next to the events of its spool.
 *
 * @param epoch u32; 0 = none granted yet, its events then have provisional numbers
 * @param lastSeq the newest number given in that epoch; next_seq - 1, so that it never overflows
 * @param watermark everything at or below it is acknowledged
 * @param lastSessionId the last session in which a BATCH or SKIP was sent; 0 = none
 * @param produced events ever taken into the spool, over all epochs
 * @param acked events ever acknowledged; what is neither acknowledged nor held was given up
 */
public record SensorState(long epoch, long lastSeq, long watermark, long lastSessionId, long produced, long acked) {

    /** A new install. */
    public static final SensorState NEW = new SensorState(0, 0, 0, 0, 0, 0);

    /** The state before the newest {@code events} were taken in. */
    public SensorState without(int events) {
        return new SensorState(epoch, lastSeq - events, watermark, lastSessionId, produced - events, acked);
    }
}
