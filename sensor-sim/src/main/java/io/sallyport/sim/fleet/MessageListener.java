package io.sallyport.sim.fleet;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.Message;

/** Told of each message that a sensor takes, on the thread of the sensor's loop: it must return at once. */
public interface MessageListener {
    /** For whom counting them is enough. */
    MessageListener NONE = (sensor, message, outcome) -> {};

    /** What a sensor does with a message. */
    enum Outcome {
        APPLIED,
        REFUSED,
        /** It was answered before: the same answer again, and nothing else. */
        REPEATED
    }

    void taken(SensorKey sensor, Message message, Outcome outcome);
}
