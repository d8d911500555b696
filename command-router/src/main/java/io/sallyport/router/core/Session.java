package io.sallyport.router.core;

import io.sallyport.envelope.epoch.SessionId;

/**
 * The newest session that the directory knows of a sensor. A hint: a stale one costs a repeated push, never a message.
 *
 * @param sessionId names the owning node too
 * @param connected whether it has not been reported as ended
 * @param epoch the sensor's epoch in that session, unsigned
 */
public record Session(long sessionId, boolean connected, int epoch) {
    /** Ordinal of the node that holds the connection. */
    public int node() {
        return SessionId.node(sessionId);
    }
}
