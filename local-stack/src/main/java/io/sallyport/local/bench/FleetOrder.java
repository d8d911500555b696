package io.sallyport.local.bench;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.FleetLink;
import io.sallyport.sim.fleet.Workload;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * What a fleet in a process of its own is to do; it sends until it is told to finish.
 *
 * @param gateways token listeners, {@code host:port}, in the order in which a sensor tries them
 * @param homes how many of them the sensors begin with
 * @param ratePerS events per second over all sensors together
 * @param networks how many /24 networks the sensors come from
 * @param connectsPerS first connects over the whole fleet; its sensors come back whenever they want to
 * @param heedsThrottle whether the sensors pause when they are asked to
 */
record FleetOrder(
        List<String> gateways,
        int homes,
        String customer,
        String prefix,
        int sensors,
        double ratePerS,
        int eventBytes,
        int networks,
        int connectsPerS,
        boolean heedsThrottle) {
    /** Those of a bench come back within seconds, where a sensor may take minutes: the storm is to be the harder one. */
    private static final int BACKOFF_MIN_MS = 1_000;

    private static final int BACKOFF_MAX_MS = 8_000;
    /** One name for all gateways of the cell, as behind a balancer. */
    private static final String SERVER_NAME = "sensors.sallyport.test";

    static FleetOrder of(List<String> gateways, String customer, int sensors, double ratePerS, int eventBytes) {
        return new FleetOrder(gateways, 1, customer, "s-", sensors, ratePerS, eventBytes, 0, 150, true);
    }

    FleetOrder atHomes(int newHomes) {
        return new FleetOrder(
                gateways,
                newHomes,
                customer,
                prefix,
                sensors,
                ratePerS,
                eventBytes,
                networks,
                connectsPerS,
                heedsThrottle);
    }

    FleetOrder named(String newPrefix) {
        return new FleetOrder(
                gateways,
                homes,
                customer,
                newPrefix,
                sensors,
                ratePerS,
                eventBytes,
                networks,
                connectsPerS,
                heedsThrottle);
    }

    FleetOrder from(int newNetworks, int newConnectsPerS) {
        return new FleetOrder(
                gateways,
                homes,
                customer,
                prefix,
                sensors,
                ratePerS,
                eventBytes,
                newNetworks,
                newConnectsPerS,
                heedsThrottle);
    }

    FleetOrder heeding(boolean heeds) {
        return new FleetOrder(
                gateways, homes, customer, prefix, sensors, ratePerS, eventBytes, networks, connectsPerS, heeds);
    }

    FleetConfig toConfig(DevCredentials credentials) {
        var addresses = gateways.stream().map(FleetOrder::address).toArray(InetSocketAddress[]::new);
        return new FleetConfig(
                FleetLink.to(addresses)
                        .withHomes(homes)
                        .withServerName(SERVER_NAME)
                        .withNetworks(networks)
                        .withConnects(connectsPerS, false)
                        .withBackoff(BACKOFF_MIN_MS, BACKOFF_MAX_MS)
                        .withThrottleHeeded(heedsThrottle),
                customer,
                sensors,
                prefix,
                credentials,
                new Workload.Endless(ratePerS, eventBytes),
                BatchHeader.CODEC_NONE,
                false,
                Optional.empty(),
                0);
    }

    private static InetSocketAddress address(String endpoint) {
        int colon = endpoint.lastIndexOf(':');
        return new InetSocketAddress(endpoint.substring(0, colon), Integer.parseInt(endpoint.substring(colon + 1)));
    }
}
