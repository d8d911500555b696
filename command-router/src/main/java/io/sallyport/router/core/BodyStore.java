package io.sallyport.router.core;

import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.proto.log.v1.MessageBody;
import java.util.Map;
import java.util.Optional;

/** Where bodies are kept on this machine, with the positions in the log up to which they were read. */
public interface BodyStore {
    /** Next offset to read, by partition; a partition that is missing was never read. */
    Map<Integer, Long> positions();

    /** Keeps bodies and positions, all or nothing. */
    void put(Map<MessageKey, MessageBody> bodies, Map<Integer, Long> positions);

    boolean has(MessageKey message);

    Optional<MessageBody> get(MessageKey message);
}
