package io.sallyport.session.netty;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have no session yet, bounded on the node, for each client address prefix and for each server name,
 * and those that want a full handshake apart, so that sensors with a ticket find room while all the others knock. A
 * connection beyond a bound is closed before TLS is set up for it: it costs a file handle, and at most the bytes of its
 * ClientHello, for a moment.
 */
final class Handshakes {
    private final AdmissionLimits.Handshakes limits;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger full = new AtomicInteger();
    private final Map<ByteBuffer, Integer> byAddress = new ConcurrentHashMap<>();
    /** Names are the clients' own; there are no more of them than open connections. */
    private final Map<String, Integer> byName = new ConcurrentHashMap<>();

    Handshakes(AdmissionLimits.Handshakes limits) {
        this.limits = limits;
    }

    /** A connection was accepted; null where it is one too many, otherwise {@link Handshake#end} must follow. */
    @Nullable
    Handshake begin(InetAddress address) {
        if (open.incrementAndGet() > limits.all()) {
            open.decrementAndGet();
            return null;
        }
        ByteBuffer prefix = AddressLimiter.prefix(address);
        if (!isAdded(byAddress, prefix, limits.ofAddress())) {
            open.decrementAndGet();
            return null;
        }
        return new Handshake(address, prefix);
    }

    int open() {
        return open.get();
    }

    private static <K> boolean isAdded(Map<K, Integer> counts, K key, int max) {
        if (counts.merge(key, 1, Integer::sum) > max) {
            remove(counts, key);
            return false;
        }
        return true;
    }

    private static <K> void remove(Map<K, Integer> counts, K key) {
        counts.computeIfPresent(key, (of, count) -> count == 1 ? null : count - 1);
    }

    /** One connection on its way to a session. Belongs to the connection's event loop. */
    final class Handshake {
        private final InetAddress address;
        private final ByteBuffer prefix;
        private @Nullable ClientHello hello;
        private boolean ended;

        private Handshake(InetAddress address, ByteBuffer prefix) {
            this.address = address;
            this.prefix = prefix;
        }

        InetAddress address() {
            return address;
        }

        /** The client said what it wants; false where that is one too many, or comes too late. */
        boolean greet(ClientHello said) {
            if (ended || hello != null) {
                return false;
            }
            if (!said.presentsTicket() && full.incrementAndGet() > limits.full()) {
                full.decrementAndGet();
                return false;
            }
            if (!isAdded(byName, said.serverName(), limits.ofName())) {
                if (!said.presentsTicket()) {
                    full.decrementAndGet();
                }
                return false;
            }
            hello = said;
            return true;
        }

        /** There is a session, or there will be none. A second call does nothing. */
        void end() {
            if (ended) {
                return;
            }
            ended = true;
            open.decrementAndGet();
            remove(byAddress, prefix);
            if (hello != null) {
                remove(byName, hello.serverName());
                if (!hello.presentsTicket()) {
                    full.decrementAndGet();
                }
            }
        }
    }
}
