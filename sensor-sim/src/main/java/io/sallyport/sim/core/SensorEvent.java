package io.sallyport.sim.core;

/**
 * One event before it has a number.
 *
 * @param eventTsUs sensor clock, microseconds since 1970
 * @param type u16, see {@code EventTypes}
 * @param schema u16
 * @param payload opaque; never changed after construction, since several events may share it
 */
public record SensorEvent(long eventTsUs, int type, int schema, byte[] payload) {}
