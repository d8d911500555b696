package io.sallyport.local.stack;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.Workload;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A small fleet that keeps a local stack busy: half of its sensors belong to acme and show certificates, half belong to
 * globex and show tokens. Its spools are in the data folder, so that a restarted stack meets the same sensors again.
 */
public final class DemoFleet implements AutoCloseable {
    /**
     * What the fleet does.
     *
     * @param sensors of both tenants together; acme has the odd one
     * @param ratePerS events per second over all of them
     * @param payloadBytes of each event; 0 = realistic sizes
     */
    public record Load(int sensors, double ratePerS, int payloadBytes) {
        public Load {
            if (sensors < 0 || ratePerS < 0 || payloadBytes < 0) {
                throw new IllegalArgumentException("a fleet's numbers are not negative");
            }
        }
    }

    private static final String PREFIX = "fleet-";

    private final List<Fleet> fleets = new ArrayList<>();

    private DemoFleet() {}

    /** Opens the spools and begins to connect; returns at once. */
    public static DemoFleet start(Endpoints endpoints, DataFolder data, Load load)
            throws IOException, GeneralSecurityException {
        var fleet = new DemoFleet();
        var credentials = CredentialFolder.open(data.credentials());
        int acme = (load.sensors() + 1) / 2;
        try {
            fleet.add(
                    data,
                    "acme",
                    acme,
                    load,
                    endpoints.mtlsAddress(),
                    new DevCredentials(credentials, DevCredentials.Mode.MTLS, Clock.systemUTC()));
            fleet.add(
                    data,
                    "globex",
                    load.sensors() - acme,
                    load,
                    endpoints.tokenAddress(),
                    new DevCredentials(credentials, DevCredentials.Mode.TOKEN, Clock.systemUTC()));
        } catch (RuntimeException e) {
            fleet.close();
            throw e;
        }
        return fleet;
    }

    private void add(
            DataFolder data,
            String customer,
            int sensors,
            Load load,
            InetSocketAddress gateway,
            DevCredentials credentials) {
        if (sensors == 0) {
            return;
        }
        double rate = load.ratePerS() * sensors / load.sensors();
        fleets.add(Fleet.start(new FleetConfig(
                gateway,
                customer,
                sensors,
                PREFIX,
                credentials,
                new Workload.Endless(rate, load.payloadBytes()),
                BatchHeader.CODEC_ZSTD,
                false,
                Optional.of(data.fleet().resolve(customer)),
                0)));
    }

    /** Whether every sensor has had an ACCEPT; waits for it at most this long. */
    public boolean awaitConnected(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        for (Fleet fleet : fleets) {
            Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
            if (!fleet.awaitConnected(left)) {
                return false;
            }
        }
        return true;
    }

    /** Why the fleet cannot go on, where it cannot. */
    public Optional<String> failure() {
        return fleets.stream().map(Fleet::failure).flatMap(Optional::stream).findFirst();
    }

    /** Sensors that have a session now. */
    public int connected() {
        return fleets.stream().mapToInt(fleet -> fleet.report().connected()).sum();
    }

    @Override
    public void close() {
        fleets.forEach(Fleet::close);
    }
}
