package io.sallyport.sim.fleet;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.Reject;

/** Learns how the sensors of a fleet come and go, on the threads of the fleet. */
public interface SessionListener {
    SessionListener NONE = new SessionListener() {};

    /** A session is open. */
    default void accepted(SensorKey sensor, Accept accept) {}

    /** A start was refused, or a session was ended. */
    default void refused(SensorKey sensor, Reject reject) {}

    /** A connection with an open session is gone, whoever ended it. */
    default void ended(SensorKey sensor) {}
}
