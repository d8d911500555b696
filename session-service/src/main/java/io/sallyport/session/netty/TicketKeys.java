package io.sallyport.session.netty;

import java.util.List;

/** The keys that seal session tickets, the same on all nodes. */
public interface TicketKeys {
    /** Name, MAC key and AES key, 16 bytes each. */
    int KEY_BYTES = 48;

    /**
     * The newest first: it seals, and all of them open. The same list until the keys change.
     *
     * @param nowMs wall clock
     */
    List<byte[]> current(long nowMs);
}
