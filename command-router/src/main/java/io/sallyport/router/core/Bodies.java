package io.sallyport.router.core;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.identity.MessageKey;
import java.util.Optional;

/** The bodies of messages, as far as they have arrived here. Safe for use by many threads. */
public interface Bodies {
    boolean has(MessageKey message);

    /**
     * Waits for a body that may be on its way: it was durable before its entries, but is read by another reader.
     *
     * @return whether it is here
     */
    boolean await(MessageKey message, long timeoutMs);

    /** The payload; empty where the body has not arrived. */
    Optional<ByteString> payload(MessageKey message);
}
