package io.sallyport.sim.spool;

import io.sallyport.envelope.identity.SensorKey;

/** The spools of all sensors of one process. Thread-safe; each {@link SensorSpool} belongs to one thread. */
public interface SpoolStore extends AutoCloseable {

    /** The spool of one sensor, empty where the store has not seen it. */
    SensorSpool open(SensorKey sensor);

    /** Closes the store; what a durable one holds is there again at the next start. */
    @Override
    void close();
}
