package io.sallyport.local.cli;

import io.sallyport.local.bench.ExportBench;
import io.sallyport.local.bench.IngestBench;
import io.sallyport.local.bench.ProofBench;
import java.nio.file.Path;
import java.util.Map;
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
    static final class Export extends BenchRun {
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

        @Override
        void check() {
            if (tenants < 1 || tenants > 1_000 || megabytes < 1 || size < 1 || size > 65_536) {
                throw usage(
                        "--tenants must lie between 1 and 1000, --size between 1 and 65536, --megabytes be at least 1");
            }
        }

        @Override
        Map<String, Object> measure(Path folder) throws Exception {
            return new ExportBench(new ExportBench.Plan(tenants, size, megabytes, folder), err()).run();
        }
    }

    @Command(
            name = "proof",
            description = {
                "What the proof costs: leaves that one core makes in a second, and its share of the CPU time of the normalizer.",
                "It starts processes of its own on free ports and needs some gigabytes of disk for a while.",
                "Prints JSON; its progress goes to standard error."
            })
    static final class Proof extends BenchRun {
        @Mixin
        private final LoadOptions load = new LoadOptions();

        @Option(
                names = "--megabytes",
                paramLabel = "MB",
                defaultValue = "1000",
                description = "payload of each run (default: ${DEFAULT-VALUE})")
        private int megabytes;

        @Override
        void check() {
            load.check(this, megabytes);
        }

        @Override
        Map<String, Object> measure(Path folder) throws Exception {
            return new ProofBench(new IngestBench.Plan(load.sizes, megabytes, load.sensors, folder), err()).run();
        }
    }
}
