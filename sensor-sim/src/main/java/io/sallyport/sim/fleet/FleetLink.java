package io.sallyport.sim.fleet;

import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the sensors of a fleet come to their gateways, and how they behave there.
 *
 * @param gateways in the order in which a sensor tries them: after each connection that ended the next
 * @param homes how many of them sensors begin with, the first ones, evenly; the others are only tried later
 * @param serverName by which all of them are known: sent as SNI, and TLS sessions of one are resumed at the others; empty
 *     takes each for itself
 * @param networks how many /24 networks the sensors come from, on the loopback; 0 leaves the address to the system
 * @param connectsPerS over the whole fleet, with few handshakes at a time
 * @param reconnectsPaced whether that holds for reconnects too; otherwise each comes when its sensor wants to
 * @param backoffMinMs shortest delay before a reconnect
 * @param backoffMaxMs longest delay before a reconnect
 * @param heedsThrottle whether a sensor pauses when an ACK asks for it
 */
public record FleetLink(
        List<InetSocketAddress> gateways,
        int homes,
        String serverName,
        int networks,
        int connectsPerS,
        boolean reconnectsPaced,
        int backoffMinMs,
        int backoffMaxMs,
        boolean heedsThrottle) {

    /** 127.1.0.1, 127.1.1.1 … 127.254.255.1 */
    private static final int MAX_NETWORKS = 254 * 256;

    public FleetLink {
        gateways = List.copyOf(gateways);
        if (gateways.isEmpty()
                || homes < 1
                || homes > gateways.size()
                || networks < 0
                || networks > MAX_NETWORKS
                || connectsPerS < 1
                || backoffMinMs < 1
                || backoffMaxMs < backoffMinMs) {
            throw new IllegalArgumentException("fleet link out of range");
        }
    }

    /**
     * Slower than what a gateway admits from one address. A simulated sensor comes back soon: the gateway it talks to is
     * restarted on purpose.
     */
    public static FleetLink to(InetSocketAddress... gateways) {
        return new FleetLink(List.of(gateways), 1, "", 0, 150, true, 200, 5_000, true);
    }

    public FleetLink withHomes(int count) {
        return new FleetLink(
                gateways,
                count,
                serverName,
                networks,
                connectsPerS,
                reconnectsPaced,
                backoffMinMs,
                backoffMaxMs,
                heedsThrottle);
    }

    public FleetLink withServerName(String name) {
        return new FleetLink(
                gateways,
                homes,
                name,
                networks,
                connectsPerS,
                reconnectsPaced,
                backoffMinMs,
                backoffMaxMs,
                heedsThrottle);
    }

    public FleetLink withNetworks(int count) {
        return new FleetLink(
                gateways,
                homes,
                serverName,
                count,
                connectsPerS,
                reconnectsPaced,
                backoffMinMs,
                backoffMaxMs,
                heedsThrottle);
    }

    public FleetLink withConnects(int perS, boolean paceReconnects) {
        return new FleetLink(
                gateways, homes, serverName, networks, perS, paceReconnects, backoffMinMs, backoffMaxMs, heedsThrottle);
    }

    public FleetLink withBackoff(int minMs, int maxMs) {
        return new FleetLink(
                gateways, homes, serverName, networks, connectsPerS, reconnectsPaced, minMs, maxMs, heedsThrottle);
    }

    public FleetLink withThrottleHeeded(boolean heeded) {
        return new FleetLink(
                gateways,
                homes,
                serverName,
                networks,
                connectsPerS,
                reconnectsPaced,
                backoffMinMs,
                backoffMaxMs,
                heeded);
    }

    /**
     * Where a sensor connects to.
     *
     * @param sensor its number
     * @param turn how many connections it had before
     */
    InetSocketAddress gatewayOf(int sensor, int turn) {
        return gateways.get((sensor % homes + turn) % gateways.size());
    }

    /** Where the sensor of this number comes from; null leaves it to the system. */
    @Nullable
    String sourceOf(int sensor) {
        if (networks == 0) {
            return null;
        }
        int network = sensor % networks;
        return "127." + (1 + network / 256) + "." + network % 256 + ".1";
    }
}
