package io.sallyport.local.cli;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.StackException;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.FleetReport;
import io.sallyport.sim.fleet.FleetReports;
import io.sallyport.sim.fleet.Workload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
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

    private static final Duration LOOK = Duration.ofMillis(500);

    @Mixin
    private final JsonOption json = new JsonOption();

    @Option(
            names = "--gateway",
            paramLabel = "H:P",
            converter = Values.Address.class,
            description = "sensor link to connect to (default: the token listener of the stack in --data)")
    private @Nullable InetSocketAddress gateway;

    @Option(names = "--customer", paramLabel = "C", required = true, description = "tenant of all sensors")
    private String customer = "";

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Source source = new Source();

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

    @Option(names = "--report", paramLabel = "FILE", description = "write the report there, as JSON")
    private @Nullable Path report;

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

    /** What the fleet sends. */
    static final class Source {
        @ArgGroup(exclusive = false)
        private @Nullable Generated generated;

        @Option(
                names = "--replay",
                paramLabel = "FILE",
                required = true,
                description = "JSON lines with sensor, type, ts_us and payload; gzip where the name ends in .gz."
                        + " Each sensor of the file is one sensor, exactly its events are sent")
        private @Nullable Path replay;
    }

    /** Made-up events. */
    static final class Generated {
        @Option(names = "--sensors", paramLabel = "N", required = true, description = "sensors of the fleet")
        private int sensors;

        @Option(names = "--events", paramLabel = "M", required = true, description = "events over all sensors together")
        private long events;

        @Option(
                names = "--size",
                paramLabel = "BYTES",
                defaultValue = "0",
                description = "payload of each event; 0 = realistic sizes, 32 KB on average")
        private int size;
    }

    @Override
    int execute() throws Exception {
        check();
        StopSignal stop = StopSignal.install();
        CredentialFolder credentials = credentials();
        long expected = source.replay == null ? generated().events : lines(source.replay);
        if (spool == Spool.MEMORY) {
            // A sensor that lost its state starts a new epoch, and its log says so; one that never was has nothing to
            // tell.
            return run(start(credentials, Optional.empty(), prefix + newName() + "-"), stop, expected);
        }
        try (SimSpools spools = source.replay == null
                ? SimSpools.ofGenerated(data(), customer, prefix)
                : SimSpools.ofRecording(data(), customer)) {
            return run(start(credentials, Optional.of(spools.folder()), spools.prefix()), stop, expected);
        }
    }

    private int run(Fleet started, StopSignal stop, long expected) throws IOException, InterruptedException {
        try (Fleet fleet = started) {
            Optional<String> problem = untilDone(fleet, stop);
            if (problem.isEmpty()) {
                stop.await(stay);
            }
            FleetReport result = fleet.report();
            write(result);
            problem = problem.or(() -> incomplete(result, expected));
            problem.ifPresent(reason -> err().println("sallyport: " + reason));
            return problem.isPresent() ? FAILED : DONE;
        }
    }

    private static String newName() {
        return Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
    }

    private void check() throws IOException {
        if (!SensorKey.isValidId(customer) || !SensorKey.isValidId(prefix + "0")) {
            throw usage("an id is 1 to 64 of A-Z a-z 0-9 . _ -, begins with a letter or digit and has no '..'");
        }
        if (source.replay != null && !Files.isReadable(source.replay)) {
            throw usage("cannot read " + source.replay);
        }
        if (source.replay == null
                && (generated().sensors < 1
                        || generated().events < 0
                        || generated().size < 0
                        || generated().size > 65_536)) {
            throw usage("--sensors must be at least 1, --events not negative, --size 0 to 65536");
        }
        if (rate < 0 || nackShare < 0 || nackShare > 1) {
            throw usage("--rate must not be negative, --nack-share must be 0 to 1");
        }
    }

    private Generated generated() {
        if (source.generated == null) {
            throw usage("either --sensors and --events, or --replay is needed");
        }
        return source.generated;
    }

    private Fleet start(CredentialFolder credentials, Optional<Path> spools, String names) throws IOException {
        InetSocketAddress target = gateway == null ? endpoints().tokenAddress() : gateway;
        DevCredentials.Mode mode = auth == null ? modeOf(target) : auth;
        Workload workload = source.replay == null
                ? new Workload.Generated(generated().events, rate, generated().size)
                : new Workload.Replay(source.replay, rate);
        return Fleet.start(new FleetConfig(
                target,
                customer,
                source.replay == null ? generated().sensors : 0,
                names,
                new DevCredentials(credentials, mode, Clock.systemUTC()),
                workload,
                codec == Codec.ZSTD ? BatchHeader.CODEC_ZSTD : BatchHeader.CODEC_NONE,
                prioritySplit,
                spools,
                nackShare));
    }

    private DevCredentials.Mode modeOf(InetSocketAddress target) throws IOException {
        return Endpoints.find(data())
                .filter(endpoints -> endpoints.mtlsAddress().getPort() == target.getPort())
                .map(endpoints -> DevCredentials.Mode.MTLS)
                .orElse(DevCredentials.Mode.TOKEN);
    }

    /** Empty where every event is settled; otherwise why the run ended before. */
    private Optional<String> untilDone(Fleet fleet, StopSignal stop) throws InterruptedException {
        long acked = -1;
        long lastNews = System.nanoTime();
        while (!fleet.awaitDone(LOOK)) {
            FleetReport now = fleet.report();
            if (fleet.failure().isPresent()) {
                return fleet.failure();
            }
            if (stop.isRequested()) {
                return Optional.of("stopped before every event was acknowledged");
            }
            if (now.eventsAcked() + now.skipped() > acked) {
                acked = now.eventsAcked() + now.skipped();
                lastNews = System.nanoTime();
            } else if (System.nanoTime() - lastNews > timeout.toNanos()) {
                return Optional.of("nothing was acknowledged for " + timeout.toSeconds() + " s");
            }
            if (onTerminal()) {
                err().print("\r%d sent, %d acknowledged, %d connected   "
                        .formatted(now.eventsSent(), now.eventsAcked(), now.connected()));
                err().flush();
            }
        }
        if (onTerminal()) {
            err().println();
        }
        return Optional.empty();
    }

    private static Optional<String> incomplete(FleetReport result, long expected) {
        boolean whole = result.skipped() == 0
                && result.eventsAcked() == result.eventsSent()
                && result.eventsAcked() >= expected;
        return whole
                ? Optional.empty()
                : Optional.of("of %d events %d were sent, %d acknowledged and %d skipped"
                        .formatted(expected, result.eventsSent(), result.eventsAcked(), result.skipped()));
    }

    private void write(FleetReport result) throws IOException {
        String text = FleetReports.toJson(result);
        if (report != null) {
            Files.writeString(report, text + "\n");
        }
        if (json.wanted()) {
            out().println(text);
        } else {
            out().printf(
                            "%d events sent, %d acknowledged, %d skipped, in %.1f s; %d batches, %.1f MB, %d reconnects;"
                                    + " ack p50 %.1f ms, p99 %.1f ms%n",
                            result.eventsSent(),
                            result.eventsAcked(),
                            result.skipped(),
                            result.seconds(),
                            result.batches(),
                            result.bytes() / 1e6,
                            result.reconnects(),
                            result.ackLatencyMs().p50(),
                            result.ackLatencyMs().p99());
            long messages = result.messagesApplied() + result.messagesRefused() + result.messagesRepeated();
            if (messages > 0) {
                out().printf(
                                "messages: %d applied, %d refused, %d repeated%n",
                                result.messagesApplied(), result.messagesRefused(), result.messagesRepeated());
            }
        }
    }

    private static long lines(Path file) {
        try (InputStream in = Files.newInputStream(file);
                var reader = new BufferedReader(new InputStreamReader(
                        file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8))) {
            return reader.lines().filter(line -> !line.isBlank()).count();
        } catch (IOException | java.io.UncheckedIOException e) {
            throw new StackException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
