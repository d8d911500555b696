package io.sallyport.router.core;

import io.sallyport.proto.log.v1.MessageTypeSpec;
import java.util.Optional;

/** The control data that the router decides by. Safe for use by many threads. */
public interface Control {
    /** The topics have been read to their end once; before that nothing is decided. */
    boolean isLoaded();

    /** The registered type; where it is unknown, the registry is first read to its end, at most once a second. */
    Optional<MessageTypeSpec> type(int number);

    /** Whether the session's node has shown a sign of life lately, and since before the session began. */
    boolean isNodeAlive(Session session);
}
