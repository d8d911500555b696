package io.sallyport.session.netty;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The ports that the listeners got, by the listener's name; empty while nothing listens. */
public final class BoundPorts {
    private final Map<String, Integer> ports = new ConcurrentHashMap<>();

    void bound(String listener, int port) {
        ports.put(listener, port);
    }

    void clear() {
        ports.clear();
    }

    /** A copy, by listener: "mtls", "token". */
    public Map<String, Integer> asMap() {
        return Map.copyOf(ports);
    }
}
