package io.sallyport.e2e.link;

import org.jspecify.annotations.Nullable;

/**
 * One session for all tests of a class, since a refused batch has to leave it as it was. A test that fails does not give
 * it back, and the next one begins with a new sensor.
 */
final class KeptSession {
    private final String what;
    private @Nullable Session session;

    KeptSession(String what) {
        this.what = what;
    }

    Session take() {
        Session taken = session == null ? Link.open(Sensor.fresh(what)) : session;
        session = null;
        return taken;
    }

    /** The log has to hold exactly what the session appended up to here. */
    void giveBack(Session taken) {
        Link.raw().assertHolds(taken);
        session = taken;
    }

    void close() {
        if (session != null) {
            session.close();
        }
    }
}
