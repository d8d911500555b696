package io.sallyport.fanout.core;

import io.sallyport.proto.log.v1.MessageTypeSpec;
import java.util.Optional;

/** Control data that the decider and the edges ask. */
public interface Registry {
    Optional<MessageTypeSpec> messageType(int number);

    Optional<MessageTypeSpec> messageType(String name);

    /** Whether the customer exists and is not suspended. */
    boolean isActive(String customerId);
}
