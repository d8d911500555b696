package io.sallyport.session.core;

import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.log.v1.Stamp;

/** The durable log of what was received. Records of one caller and sensor stand in it in the order of the calls. */
public interface RawLog {

    /**
     * Hands a record over and returns at once.
     *
     * @param value goes into the log as it is and belongs to the log from now on
     * @param whenDone called once, on any thread
     */
    void append(SensorRoute route, RawKind kind, byte[] value, Stamp stamp, Completion whenDone);

    /** The shard that a record of {@code route} would go to now. */
    int shard(SensorRoute route);

    /** What the shard of {@code route} asks for now. Local and cheap: it is asked with every frame. */
    RawPressure pressure(SensorRoute route);

    /** What became of a record. */
    enum Result {
        /** On all in-sync replicas. */
        DURABLE,
        /** Not known to be in the log; it may be. */
        UNAVAILABLE,
        /** The log refuses the record's size. */
        TOO_LARGE
    }

    /** Learns what became of a record. */
    interface Completion {
        void done(Result result);
    }
}
