package io.sallyport.session.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.SessionPush;
import java.util.concurrent.CompletionStage;

/** What passes between the gateway and the command path. No call blocks. */
public interface CommandLink {

    /** Publishes what a sensor answered to a message. */
    void result(SensorKey sensor, CommandResult result);

    /** A traced push went to its sensor at {@code nowUs}. */
    void handedOver(SessionPush push, long nowUs);

    /** Publishes what a sensor said of its host at a start. */
    void metadata(SensorKey sensor, EndpointMetadata metadata);

    /** Calls {@code receiver} on any thread with each push to this node's sessions. */
    void onPush(Receiver receiver);

    /**
     * Completes when pushes are being received, or cannot be for now. A session is made known behind this: what was
     * pushed to it earlier would come again only after half a minute.
     */
    CompletionStage<Void> listening();

    /** Receives messages for sensors; one for a session that is gone is dropped, since the router repeats it. */
    interface Receiver {
        void push(SessionPush push);
    }
}
