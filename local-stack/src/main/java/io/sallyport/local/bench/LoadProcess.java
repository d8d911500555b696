package io.sallyport.local.bench;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.StackLogs;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.FleetReport;
import io.sallyport.sim.fleet.FleetReports;
import io.sallyport.sim.fleet.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * The fleet of a benchmark in a JVM of its own: a warm-up, then the measured load. It prints {@link #MEASURE} between
 * them and ends when everything is acknowledged; the report goes to a file. Arguments: data folder, sensors, event
 * bytes, events of the warm-up, events to measure, report file.
 */
public final class LoadProcess {
    /** Said on standard output when the measured load begins. */
    static final String MEASURE = "MEASURE";
    /** Said when all of it is acknowledged. */
    static final String DONE = "DONE";

    private static final Duration LIMIT = Duration.ofMinutes(15);

    private LoadProcess() {}

    public static void main(String[] args) throws Exception {
        StackLogs.toTerminal(false);
        var data = new DataFolder(Path.of(args[0]));
        int sensors = Integer.parseInt(args[1]);
        int eventBytes = Integer.parseInt(args[2]);
        run(data, sensors, "warm-", eventBytes, Long.parseLong(args[3]));
        System.out.println(MEASURE);
        FleetReport report = run(data, sensors, "load-", eventBytes, Long.parseLong(args[4]));
        System.out.println(DONE);
        Files.writeString(Path.of(args[5]), FleetReports.toJson(report));
    }

    private static FleetReport run(DataFolder data, int sensors, String prefix, int eventBytes, long events)
            throws Exception {
        var credentials = new DevCredentials(
                CredentialFolder.open(data.credentials()), DevCredentials.Mode.MTLS, Clock.systemUTC());
        var config = new FleetConfig(
                Endpoints.of(data).mtlsAddress(),
                "acme",
                sensors,
                prefix + eventBytes + "-",
                credentials,
                new Workload.Generated(events, 0, eventBytes),
                BatchHeader.CODEC_NONE,
                false,
                Optional.empty(),
                0);
        try (Fleet fleet = Fleet.start(config)) {
            if (!fleet.awaitDone(LIMIT)) {
                throw new IllegalStateException(
                        fleet.failure().orElse("the load was not acknowledged within " + LIMIT));
            }
            FleetReport report = fleet.report();
            if (report.eventsAcked() != events || report.skipped() != 0) {
                throw new IllegalStateException("not every event was acknowledged: " + FleetReports.toJson(report));
            }
            return report;
        }
    }
}
