package io.sallyport.session.netty;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.SessionPush;

/** A connection with its session, for other threads; each call is brought to the connection's event loop. */
record LiveLink(LinkHandler handler, SensorKey sensor, long sessionId) implements SessionRegistry.Link {
    @Override
    public void superseded() {
        handler.superseded();
    }

    @Override
    public void changed(long newestEpoch, long newestSessionId) {
        handler.changed(newestEpoch, newestSessionId);
    }

    @Override
    public void push(SessionPush push) {
        handler.push(push);
    }
}
