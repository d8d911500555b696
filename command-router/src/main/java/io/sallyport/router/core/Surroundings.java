package io.sallyport.router.core;

import io.sallyport.proto.log.v1.MessageTypeSpec;
import java.util.List;
import java.util.Optional;

/** What a decision about one sensor reads besides its state. Reads change nothing. */
public interface Surroundings {
    /** The settled target of this sensor and message. */
    Optional<Settled> settled(String msgId);

    /** All settled targets of this sensor; only asked for when some may be forgotten. */
    List<Settled> allSettled();

    /** Whether the node that holds the session is alive, as far as is known. */
    boolean isNodeAlive(Session session);

    /** Whether the body of this customer's message has arrived. */
    boolean hasBody(String msgId);

    /** The message type of that number, where it is registered. */
    Optional<MessageTypeSpec> type(int number);
}
