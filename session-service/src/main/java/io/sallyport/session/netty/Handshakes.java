package io.sallyport.session.netty;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections that have no session yet, bounded on the node and for each client address prefix. A connection beyond a
 * bound is closed before TLS or anything else is set up for it, so that it costs a file handle for a moment.
 */
final class Handshakes {
    private final int max;
    private final int maxOfAddress;
    private final AtomicInteger open = new AtomicInteger();
    private final Map<ByteBuffer, Integer> byAddress = new ConcurrentHashMap<>();

    Handshakes(int max, int maxOfAddress) {
        this.max = max;
        this.maxOfAddress = maxOfAddress;
    }

    /** Whether one more may begin; then {@link #end} must follow. */
    boolean begin(InetAddress address) {
        if (open.incrementAndGet() > max) {
            open.decrementAndGet();
            return false;
        }
        int ofAddress = byAddress.merge(AddressLimiter.prefix(address), 1, Integer::sum);
        if (ofAddress > maxOfAddress) {
            end(address);
            return false;
        }
        return true;
    }

    void end(InetAddress address) {
        open.decrementAndGet();
        byAddress.computeIfPresent(AddressLimiter.prefix(address), (prefix, count) -> count == 1 ? null : count - 1);
    }

    int open() {
        return open.get();
    }
}
