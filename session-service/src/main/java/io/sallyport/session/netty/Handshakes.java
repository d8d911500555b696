package io.sallyport.session.netty;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have no session yet. Those that have said what they want are bounded on the node, for each client
 * address prefix and for each server name, and those that want a full handshake apart, so that sensors with a ticket find
 * room while all the others knock. Those that have said nothing yet are counted apart from them, see
 * {@link SilentConnections}. A connection beyond a bound is closed before TLS is set up for it: it costs a file handle,
 * and at most the bytes of its ClientHello, for a moment.
 */
final class Handshakes {
    private final AdmissionLimits.Handshakes limits;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger full = new AtomicInteger();
    private final Map<ByteBuffer, Integer> byAddress = new ConcurrentHashMap<>();
    /** Names are the clients' own; there are no more of them than open connections. */
    private final Map<String, Integer> byName = new ConcurrentHashMap<>();

    private final SilentConnections<Handshake> silent;

    Handshakes(AdmissionLimits.Handshakes limits) {
        this.limits = limits;
        this.silent = new SilentConnections<>(limits.silent());
    }

    /**
     * A connection was accepted; {@link Handshake#end} must follow.
     *
     * @param giveWay called on another connection's thread where this one has been silent for longest and its room is
     *     needed; it is to be closed unless it has greeted
     */
    Handshake begin(InetAddress address, Consumer<Handshake> giveWay) {
        var begun = new Handshake(address, giveWay);
        Handshake oldest = silent.add(begun, begun.prefix);
        if (oldest != null) {
            oldest.giveWay.accept(oldest);
        }
        return begun;
    }

    /** That have greeted and have no session yet. */
    int open() {
        return open.get();
    }

    /** That have said nothing yet. */
    int silent() {
        return silent.size();
    }

    private static boolean isAdded(AtomicInteger count, int max) {
        if (count.incrementAndGet() > max) {
            count.decrementAndGet();
            return false;
        }
        return true;
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
        private final Consumer<Handshake> giveWay;
        private @Nullable ClientHello hello;
        private boolean ended;

        private Handshake(InetAddress address, Consumer<Handshake> giveWay) {
            this.address = address;
            this.prefix = AddressLimiter.prefix(address);
            this.giveWay = giveWay;
        }

        InetAddress address() {
            return address;
        }

        /** Nothing that could be understood has come of it, and it is not over. */
        boolean isSilent() {
            return hello == null && !ended;
        }

        /** The client said what it wants; false where that is one too many, or comes too late. */
        boolean greet(ClientHello said) {
            if (!isSilent()) {
                return false;
            }
            if (!isAdded(open, limits.all())) {
                return false;
            }
            if (!isAdded(byAddress, prefix, limits.ofAddress())) {
                open.decrementAndGet();
                return false;
            }
            if (!said.presentsTicket() && !isAdded(full, limits.full())) {
                leave();
                return false;
            }
            if (!isAdded(byName, said.serverName(), limits.ofName())) {
                leave();
                leaveFull(said);
                return false;
            }
            silent.remove(this);
            hello = said;
            return true;
        }

        /** There is a session, or there will be none. A second call does nothing. */
        void end() {
            if (ended) {
                return;
            }
            ended = true;
            if (hello == null) {
                silent.remove(this);
                return;
            }
            leave();
            leaveFull(hello);
            remove(byName, hello.serverName());
        }

        private void leave() {
            open.decrementAndGet();
            remove(byAddress, prefix);
        }

        private void leaveFull(ClientHello said) {
            if (!said.presentsTicket()) {
                full.decrementAndGet();
            }
        }
    }
}
