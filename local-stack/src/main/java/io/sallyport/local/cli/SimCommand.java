package io.sallyport.local.cli;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.FleetReport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "sim",
        description = {
            "Runs a fleet of reference sensors against a gateway; exit code 0 only if every event was acknowledged.",
            "It sends either generated events (--sensors, --events) or recorded ones (--replay)."
        })
final class SimCommand extends Action {
    /** Where a fleet keeps what is not acknowledged yet. */
    enum Spool {
        MEMORY,
        DISK
    }

    /** How the block of a batch is sent. */
    enum Codec {
        NONE,
        ZSTD
    }

    @Mixin
    private final SimReport report = new SimReport();

    @Option(
            names = "--gateway",
            paramLabel = "H:P",
            converter = Values.Address.class,
            description = "sensor link to connect to (default: the token listener of the stack in --data)")
    private @Nullable InetSocketAddress gateway;

    @Option(
            names = "--customer",
            paramLabel = "C",
            converter = Values.Id.class,
            required = true,
            description = "tenant of all sensors")
    private String customer = "";

    @ArgGroup(exclusive = true, multiplicity = "1")
    private SimSource source = new SimSource();

    @Option(
            names = "--rate",
            paramLabel = "R",
            defaultValue = "0",
            description = "events per second over the whole fleet; 0 = as fast as the gateway takes them")
    private double rate;

    @Option(
            names = "--codec",
            paramLabel = "none|zstd",
            defaultValue = "none",
            description = "of each batch (default: ${DEFAULT-VALUE})")
    private Codec codec = Codec.NONE;

    @Option(
            names = "--priority-split",
            description = "send ProcessStart and the network types in batches of their own before the rest")
    private boolean prioritySplit;

    @Option(
            names = "--auth",
            paramLabel = "mtls|token",
            description = "how the sensors show who they are (default: what the listener of that port asks for)")
    private DevCredentials.@Nullable Mode auth;

    @Option(
            names = "--spool",
            paramLabel = "memory|disk",
            defaultValue = "disk",
            description = "disk: the sensors outlive this run and go on in the next; memory: they lose their state with"
                    + " it, and generated ones have new names each time (default: ${DEFAULT-VALUE})")
    private Spool spool = Spool.DISK;

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            defaultValue = "sim-",
            description = "generated sensors are named this and a number (default: ${DEFAULT-VALUE})")
    private String prefix = "sim-";

    @Option(
            names = "--timeout",
            paramLabel = "S",
            defaultValue = "15m",
            converter = Values.Time.class,
            description = "give up when nothing was acknowledged for S seconds (default: ${DEFAULT-VALUE})")
    private Duration timeout = Duration.ofMinutes(15);

    @Option(
            names = "--nack-share",
            paramLabel = "X",
            defaultValue = "0",
            description = "share of messages that the sensors refuse, 0 to 1 (default: ${DEFAULT-VALUE})")
    private double nackShare;

    @Option(
            names = "--stay",
            paramLabel = "S",
            defaultValue = "0",
            converter = Values.Time.class,
            description = "stay connected that long after the last event, to be reached by messages"
                    + " (default: ${DEFAULT-VALUE})")
    private Duration stay = Duration.ZERO;

    @Override
    int execute() throws Exception {
        check();
        StopSignal stop = StopSignal.install();
        CredentialFolder credentials = credentials();
        InetSocketAddress target = gateway == null ? endpoints().tokenAddress() : gateway;
        if (spool == Spool.MEMORY) {
            // A sensor that lost its state starts a new epoch, and its log says so; one that never was has nothing to
            // tell.
            return run(config(target, credentials, Optional.empty(), prefix + newName() + "-"), stop);
        }
        try (SimSpools spools = source.isRecorded()
                ? SimSpools.ofRecording(data(), customer)
                : SimSpools.ofGenerated(data(), customer, prefix)) {
            return run(config(target, credentials, Optional.of(spools.folder()), spools.prefix()), stop);
        }
    }

    private int run(FleetConfig config, StopSignal stop) throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.start(config)) {
            String address =
                    config.gateway().getHostString() + ":" + config.gateway().getPort();
            Optional<String> problem = new SimWatch(fleet, address, stop, timeout, err()).untilDone(onTerminal());
            if (problem.isEmpty()) {
                stop.await(stay);
            }
            FleetReport result = fleet.report();
            report.write(result, out());
            problem = problem.or(() -> SimReport.incomplete(result, fleet.events()));
            problem.ifPresent(reason -> err().println("sallyport: " + reason));
            return problem.isPresent() ? FAILED : DONE;
        }
    }

    private static String newName() {
        return Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
    }

    private void check() {
        if (!SensorKey.isValidId(prefix + "0")) {
            throw usage("--prefix and a number must be an id: " + Values.Id.SYNTAX);
        }
        if (!source.problem().isEmpty()) {
            throw usage(source.problem());
        }
        if (!report.problem().isEmpty()) {
            throw usage(report.problem());
        }
        if (!(rate >= 0 && nackShare >= 0 && nackShare <= 1)) {
            throw usage("--rate must not be negative, --nack-share must be 0 to 1");
        }
    }

    private FleetConfig config(
            InetSocketAddress target, CredentialFolder credentials, Optional<Path> spools, String names)
            throws IOException {
        DevCredentials.Mode mode = auth == null ? modeOf(target) : auth;
        return new FleetConfig(
                target,
                customer,
                source.sensors(),
                names,
                new DevCredentials(credentials, mode, Clock.systemUTC()),
                source.workload(rate),
                codec == Codec.ZSTD ? BatchHeader.CODEC_ZSTD : BatchHeader.CODEC_NONE,
                prioritySplit,
                spools,
                nackShare);
    }

    private DevCredentials.Mode modeOf(InetSocketAddress target) throws IOException {
        return Endpoints.find(data())
                .filter(endpoints -> endpoints.mtlsAddress().getPort() == target.getPort())
                .map(endpoints -> DevCredentials.Mode.MTLS)
                .orElse(DevCredentials.Mode.TOKEN);
    }
}
