package io.sallyport.local.cli;

import io.sallyport.local.bench.CommandBench;
import io.sallyport.local.bench.IngestBench;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "bench",
        description = "Benchmarks against the real processes.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            BenchCommand.Ingest.class,
            BenchCommand.Commands.class,
            CellBenchCommands.Tenants.class,
            CellBenchCommands.Drain.class,
            CellBenchCommands.Storm.class,
            RecordBenchCommands.Export.class,
            RecordBenchCommands.Proof.class
        })
final class BenchCommand implements Runnable {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(), "say which: bench ingest, commands, tenants, drain, storm, export or proof");
    }

    @Command(
            name = "ingest",
            description = {
                "Events through the gateway into Kafka (TLS, acks=all), next to Kafka's own producer tool on the same broker.",
                "It starts processes of its own on free ports and needs some gigabytes of disk for a while.",
                "Prints JSON; its progress goes to standard error."
            })
    static final class Ingest extends Action {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Option(
                names = "--sizes",
                paramLabel = "BYTES",
                split = ",",
                defaultValue = "1024,32768",
                description = "payload of each event, one run each (default: ${DEFAULT-VALUE})")
        private List<Integer> sizes = List.of();

        @Option(
                names = "--megabytes",
                paramLabel = "MB",
                defaultValue = "2000",
                description = "payload of each run (default: ${DEFAULT-VALUE})")
        private int megabytes;

        @Option(
                names = "--sensors",
                paramLabel = "N",
                defaultValue = "32",
                description = "sensors that send it (default: ${DEFAULT-VALUE})")
        private int sensors;

        @Option(
                names = "--work",
                paramLabel = "DIR",
                description = "where to make the folder of the processes (default: the system's folder for such files)")
        private @Nullable Path work;

        @Override
        int execute() throws Exception {
            if (megabytes < 1 || sensors < 1 || sizes.stream().anyMatch(size -> size < 1 || size > 65_536)) {
                throw usage("--megabytes and --sensors must be at least 1, --sizes 1 to 65536");
            }
            Path folder = folder(this, work);
            var bench = new IngestBench(new IngestBench.Plan(sizes, megabytes, sensors, folder), err());
            out().println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(bench.run()));
            delete(folder);
            return DONE;
        }
    }

    @Command(
            name = "commands",
            description = {
                "Messages from the publishing API to sensors: the latency to one, and a fan-out to a whole fleet.",
                "It starts processes of its own on free ports.",
                "Prints JSON; its progress goes to standard error."
            })
    static final class Commands extends Action {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Option(
                names = "--sensors",
                paramLabel = "N",
                defaultValue = "100000",
                description = "known sensors, the targets of the fan-out (default: ${DEFAULT-VALUE})")
        private int sensors;

        @Option(
                names = "--connected",
                paramLabel = "N",
                defaultValue = "1000",
                description = "of them, how many are connected (default: ${DEFAULT-VALUE})")
        private int connected;

        @Option(
                names = "--messages",
                paramLabel = "N",
                defaultValue = "1000",
                description = "messages to one sensor, for the latency (default: ${DEFAULT-VALUE})")
        private int messages;

        @Option(
                names = "--size",
                paramLabel = "BYTES",
                defaultValue = "1024",
                description = "payload of each message (default: ${DEFAULT-VALUE})")
        private int size;

        @Option(
                names = "--work",
                paramLabel = "DIR",
                description = "where to make the folder of the processes (default: the system's folder for such files)")
        private @Nullable Path work;

        @Override
        int execute() throws Exception {
            if (connected < 1 || sensors < connected || messages < 1 || size < 0 || size > 983_040) {
                throw usage("--connected and --messages must be at least 1, --sensors not below --connected,"
                        + " --size 0 to 983040");
            }
            Path folder = folder(this, work);
            var bench = new CommandBench(new CommandBench.Plan(sensors, connected, messages, size, folder), err());
            out().println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(bench.run()));
            delete(folder);
            return DONE;
        }
    }

    static Path folder(Action command, @Nullable Path work) throws IOException {
        Path folder = work == null
                ? Files.createTempDirectory("sallyport-bench")
                : Files.createTempDirectory(Files.createDirectories(work), "sallyport-bench");
        // What a failed run leaves behind tells why it failed.
        command.err().println("bench: everything of this run is in " + folder);
        return folder;
    }

    static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
