package io.sallyport.local.cli;

import io.sallyport.sim.fleet.FleetReport;
import io.sallyport.sim.fleet.FleetReports;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the report of a fleet's run goes, and whether the run was whole. */
final class SimReport {
    @Mixin
    private final JsonOption json = new JsonOption();

    @Option(names = "--report", paramLabel = "FILE", description = "write the report there, as JSON")
    private @Nullable Path file;

    /** Empty where the report can be written, as far as can be told before the run; otherwise what is wrong. */
    String problem() {
        if (file == null) {
            return "";
        }
        Path folder = file.toAbsolutePath().normalize().getParent();
        boolean writable = Files.exists(file)
                ? Files.isWritable(file) && !Files.isDirectory(file)
                : folder != null && Files.isDirectory(folder) && Files.isWritable(folder);
        return writable ? "" : "cannot write the report to " + file;
    }

    void write(FleetReport result, PrintWriter out) throws IOException {
        String text = FleetReports.toJson(result);
        if (file != null) {
            Files.writeString(file, text + "\n");
        }
        if (json.wanted()) {
            out.println(text);
        } else {
            print(result, out);
        }
    }

    private static void print(FleetReport result, PrintWriter out) {
        out.printf(
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
            out.printf(
                    "messages: %d applied, %d refused, %d repeated%n",
                    result.messagesApplied(), result.messagesRefused(), result.messagesRepeated());
        }
    }

    /**
     * Why the run was not whole; empty where every event was sent and acknowledged.
     *
     * @param expected events of the run
     */
    static Optional<String> incomplete(FleetReport result, long expected) {
        boolean whole = result.skipped() == 0
                && result.eventsAcked() == result.eventsSent()
                && result.eventsAcked() >= expected;
        return whole
                ? Optional.empty()
                : Optional.of("of %d events %d were sent, %d acknowledged and %d skipped"
                        .formatted(expected, result.eventsSent(), result.eventsAcked(), result.skipped()));
    }
}
