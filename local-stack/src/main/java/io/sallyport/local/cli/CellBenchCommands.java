package io.sallyport.local.cli;

import io.sallyport.local.bench.DrainBench;
import io.sallyport.local.bench.StormBench;
import io.sallyport.local.bench.TenantBench;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Benchmarks of what gateways promise to many sensors and tenants at a time. */
final class CellBenchCommands {
    private CellBenchCommands() {}

    @Command(
            name = "tenants",
            description = {
                "What a tenant that offers many times its rate does to another one on the same gateway.",
                "It starts processes of its own on free ports.",
                "Prints JSON; its progress goes to standard error."
            })
    static final class Tenants extends BenchRun {
        @Option(
                names = "--quota-mb",
                paramLabel = "MB",
                defaultValue = "2",
                description = "rate of each of the two tenants, per second (default: ${DEFAULT-VALUE})")
        private int quotaMb;

        @Option(
                names = "--times",
                paramLabel = "N",
                defaultValue = "10",
                description = "what the flood offers, in rates (default: ${DEFAULT-VALUE})")
        private int times;

        @Option(
                names = "--seconds",
                paramLabel = "S",
                defaultValue = "15",
                description = "of each measurement (default: ${DEFAULT-VALUE})")
        private int seconds;

        @Option(
                names = "--rounds",
                paramLabel = "N",
                defaultValue = "3",
                description = "of the three measurements (default: ${DEFAULT-VALUE})")
        private int rounds;

        @Option(
                names = "--sensors",
                paramLabel = "N",
                defaultValue = "20",
                description = "of each tenant (default: ${DEFAULT-VALUE})")
        private int sensors;

        @Override
        void check() {
            if (quotaMb < 1 || times < 1 || seconds < 1 || rounds < 1 || sensors < 1) {
                throw usage("every number must be at least 1");
            }
        }

        @Override
        Map<String, Object> measure(Path folder) throws Exception {
            return new TenantBench(
                            new TenantBench.Plan(quotaMb * 1_000_000L, times, seconds, rounds, sensors, folder), err())
                    .run();
        }
    }

    @Command(
            name = "drain",
            description = {
                "Three gateways under load, replaced one after the other: drains, reconnects, and what the log holds.",
                "It starts processes of its own on free ports.",
                "Prints JSON; its progress goes to standard error."
            })
    static final class Drain extends BenchRun {
        @Option(
                names = "--sensors",
                paramLabel = "N",
                defaultValue = "600",
                description = "over all gateways together (default: ${DEFAULT-VALUE})")
        private int sensors;

        @Option(
                names = "--rate",
                paramLabel = "R",
                defaultValue = "1200",
                description = "events per second over all sensors together (default: ${DEFAULT-VALUE})")
        private double rate;

        @Override
        void check() {
            if (sensors < 3 || !(rate > 0)) {
                throw usage("--sensors must be at least 3, --rate positive");
            }
        }

        @Override
        Map<String, Object> measure(Path folder) throws Exception {
            return new DrainBench(new DrainBench.Plan(sensors, rate, folder), err()).run();
        }
    }

    @Command(
            name = "storm",
            description = {
                "A gateway with many sensors is killed: how they come back, and what that does to the others.",
                "It starts processes of its own on free ports.",
                "Prints JSON; its progress goes to standard error."
            })
    static final class Storm extends BenchRun {
        @Option(
                names = "--sensors",
                paramLabel = "N",
                defaultValue = "10000",
                description = "on the gateway that is killed (default: ${DEFAULT-VALUE})")
        private int sensors;

        @Option(
                names = "--steady",
                paramLabel = "N",
                defaultValue = "300",
                description = "on another gateway, that stays (default: ${DEFAULT-VALUE})")
        private int steady;

        @Override
        void check() {
            if (sensors < 1 || sensors > 10_000 || steady < 1 || steady > 5_000) {
                throw usage("--sensors must be 1 to 10000, --steady 1 to 5000");
            }
        }

        @Override
        Map<String, Object> measure(Path folder) throws Exception {
            return new StormBench(new StormBench.Plan(sensors, steady, folder), err()).run();
        }
    }
}
