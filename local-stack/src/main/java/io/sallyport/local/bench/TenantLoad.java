package io.sallyport.local.bench;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.StackLogs;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.Workload;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The load of many tenants in a JVM of its own, a few of them at a time; it ends when everything is acknowledged. Arguments:
 * data folder, tenants, sensors of each, event bytes, events of each tenant.
 */
public final class TenantLoad {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final int AT_A_TIME = 8;

    private TenantLoad() {}

    /** The id of a tenant, from 0. */
    static String tenant(int number) {
        return "tenant-%03d".formatted(number);
    }

    public static void main(String[] args) throws Exception {
        StackLogs.toTerminal(false);
        var data = new DataFolder(Path.of(args[0]));
        int tenants = Integer.parseInt(args[1]);
        for (int from = 0; from < tenants; from += AT_A_TIME) {
            List<Fleet> fleets = new ArrayList<>();
            try {
                for (int tenant = from; tenant < Math.min(tenants, from + AT_A_TIME); tenant++) {
                    fleets.add(Fleet.start(config(data, tenant, args)));
                }
                for (Fleet fleet : fleets) {
                    if (!fleet.awaitDone(LIMIT)) {
                        throw new IllegalStateException(
                                fleet.failure().orElse("the load was not acknowledged within " + LIMIT));
                    }
                }
            } finally {
                fleets.forEach(Fleet::close);
            }
        }
    }

    private static FleetConfig config(DataFolder data, int tenant, String[] args) throws Exception {
        return new FleetConfig(
                Endpoints.of(data).mtlsAddress(),
                tenant(tenant),
                Integer.parseInt(args[2]),
                "s-",
                new DevCredentials(
                        CredentialFolder.open(data.credentials()), DevCredentials.Mode.MTLS, Clock.systemUTC()),
                new Workload.Generated(Long.parseLong(args[4]), 0, Integer.parseInt(args[3])),
                BatchHeader.CODEC_NONE,
                false,
                Optional.empty(),
                0);
    }
}
