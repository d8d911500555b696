package io.sallyport.session.core;

/**
 * What a shard of the raw log asks of the sensors that write to it.
 *
 * @param throttleMs pause to ask for with each ACK; 0 = none
 * @param holds nothing received from now on is appended or acknowledged: the sensors keep it
 */
public record RawPressure(int throttleMs, boolean holds) {
    public static final RawPressure NONE = new RawPressure(0, false);
}
