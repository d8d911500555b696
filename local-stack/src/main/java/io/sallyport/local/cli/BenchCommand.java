package io.sallyport.local.cli;

import io.sallyport.local.bench.CommandBench;
import io.sallyport.local.bench.IngestBench;
import java.nio.file.Path;
import java.util.Map;
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
    static final class Ingest extends BenchRun {
        @Mixin
        private final LoadOptions load = new LoadOptions();

        @Option(
                names = "--megabytes",
                paramLabel = "MB",
                defaultValue = "2000",
                description = "payload of each run (default: ${DEFAULT-VALUE})")
        private int megabytes;

        @Override
        void check() {
            load.check(this, megabytes);
        }

        @Override
        Map<String, Object> measure(Path folder) throws Exception {
            return new IngestBench(new IngestBench.Plan(load.sizes, megabytes, load.sensors, folder), err()).run();
        }
    }

    @Command(
            name = "commands",
            description = {
                "Messages from the publishing API to sensors: the latency to one, and a fan-out to a whole fleet.",
                "It starts processes of its own on free ports.",
                "Prints JSON; its progress goes to standard error."
            })
    static final class Commands extends BenchRun {
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

        @Override
        void check() {
            if (connected < 1 || sensors < connected || messages < 1 || size < 0 || size > 983_040) {
                throw usage("--connected and --messages must be at least 1, --sensors not below --connected,"
                        + " --size 0 to 983040");
            }
        }

        @Override
        Map<String, Object> measure(Path folder) throws Exception {
            return new CommandBench(new CommandBench.Plan(sensors, connected, messages, size, folder), err()).run();
        }
    }
}
