package io.sallyport.local.cli;

import io.sallyport.local.bench.ExportBench;
import io.sallyport.local.bench.ProofBench;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Benchmarks of what becomes of the record: its files, and its proof. */
final class RecordBenchCommands {
    private RecordBenchCommands() {}

    @Command(
            name = "export",
            description = {
                "The export of many tenants' events: what one exporter writes in a second, and how large its files are.",
                "It starts processes of its own on free ports and needs some gigabytes of disk for a while.",
                "Prints JSON; its progress goes to standard error."
            })
    static final class Export extends Action {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Option(
                names = "--tenants",
                paramLabel = "N",
                defaultValue = "100",
                description = "(default: ${DEFAULT-VALUE})")
        private int tenants;

        @Option(
                names = "--size",
                paramLabel = "BYTES",
                defaultValue = "32768",
                description = "payload of each event (default: ${DEFAULT-VALUE})")
        private int size;

        @Option(
                names = "--megabytes",
                paramLabel = "MB",
                defaultValue = "1000",
                description = "payload over all tenants (default: ${DEFAULT-VALUE})")
        private int megabytes;

        @Option(
                names = "--work",
                paramLabel = "DIR",
                description = "where to make the folder of the processes (default: the system's folder for such files)")
        private @Nullable Path work;

        @Override
        int execute() throws Exception {
            if (tenants < 1 || tenants > 1_000 || megabytes < 1 || size < 1 || size > 65_536) {
                throw usage(
                        "--tenants must lie between 1 and 1000, --size between 1 and 65536, --megabytes be at least 1");
            }
            Path folder = BenchCommand.folder(this, work);
            var bench = new ExportBench(new ExportBench.Plan(tenants, size, megabytes, folder), err());
            out().println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(bench.run()));
            BenchCommand.delete(folder);
            return DONE;
        }
    }

    @Command(
            name = "proof",
            description = {
                "What the proof costs: leaves that one core makes in a second, and its share of the CPU time of the normalizer.",
                "It starts processes of its own on free ports and needs some gigabytes of disk for a while.",
                "Prints JSON; its progress goes to standard error."
            })
    static final class Proof extends Action {
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
                defaultValue = "1000",
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
            Path folder = BenchCommand.folder(this, work);
            var bench = new ProofBench(new ProofBench.Plan(sizes, megabytes, sensors, folder), err());
            out().println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(bench.run()));
            BenchCommand.delete(folder);
            return DONE;
        }
    }
}
