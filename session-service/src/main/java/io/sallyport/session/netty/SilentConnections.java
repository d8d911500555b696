package io.sallyport.session.netty;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connections whose ClientHello is not there yet. A sensor's is, one round trip after it was accepted; whoever just holds
 * connections open is silent for long. So where there are too many, the one that has been silent longest gives way to the
 * one that comes: of its own address prefix where that has too many, otherwise of all. Thread-safe.
 *
 * @param <C> what stands for a connection; compared by {@code equals}
 */
final class SilentConnections<C> {
    private final AdmissionLimits.Silent limits;
    /** In the order in which they came. */
    private final Map<C, ByteBuffer> prefixes = new LinkedHashMap<>();

    private final Map<ByteBuffer, Set<C>> byAddress = new HashMap<>();

    SilentConnections(AdmissionLimits.Silent limits) {
        this.limits = limits;
    }

    /** A connection came; returns the one that gives way to it, which is no longer counted, or null. */
    synchronized @Nullable C add(C connection, ByteBuffer prefix) {
        Set<C> ofAddress = byAddress.getOrDefault(prefix, Set.of());
        C oldest = null;
        if (ofAddress.size() >= limits.ofAddress()) {
            oldest = ofAddress.iterator().next();
        } else if (prefixes.size() >= limits.all()) {
            oldest = prefixes.keySet().iterator().next();
        }
        if (oldest != null) {
            remove(oldest);
        }
        prefixes.put(connection, prefix);
        byAddress.computeIfAbsent(prefix, of -> new LinkedHashSet<>()).add(connection);
        return oldest;
    }

    /** It is silent no longer, or gone. A second call does nothing. */
    synchronized void remove(C connection) {
        ByteBuffer prefix = prefixes.remove(connection);
        if (prefix != null) {
            byAddress.computeIfPresent(prefix, (of, connections) -> {
                connections.remove(connection);
                return connections.isEmpty() ? null : connections;
            });
        }
    }

    synchronized int size() {
        return prefixes.size();
    }
}
