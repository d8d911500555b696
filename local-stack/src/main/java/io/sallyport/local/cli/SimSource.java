package io.sallyport.local.cli;

import io.sallyport.sim.fleet.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** What a fleet of the command line sends: made-up events or recorded ones. */
final class SimSource {
    private static final int MAX_EVENT_BYTES = 65_536;

    @ArgGroup(exclusive = false)
    private @Nullable Generated generated;

    @Option(
            names = "--replay",
            paramLabel = "FILE",
            required = true,
            description = "JSON lines with sensor, type, ts_us and payload; gzip where the name ends in .gz."
                    + " Each sensor of the file is one sensor, exactly its events are sent")
    private @Nullable Path replay;

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

    /** Empty where all is in range; otherwise what is wrong. */
    String problem() {
        if (replay != null) {
            return Files.isReadable(replay) && !Files.isDirectory(replay) ? "" : "cannot read " + replay;
        }
        if (generated == null) {
            return "either --sensors and --events, or --replay is needed";
        }
        boolean inRange = generated.sensors >= 1
                && generated.events >= 0
                && generated.size >= 0
                && generated.size <= MAX_EVENT_BYTES;
        return inRange ? "" : "--sensors must be at least 1, --events not negative, --size 0 to " + MAX_EVENT_BYTES;
    }

    boolean isRecorded() {
        return replay != null;
    }

    /** How many; 0 where the recording names them. */
    int sensors() {
        return generated == null ? 0 : generated.sensors;
    }

    /** @param ratePerS over the whole fleet; 0 = as fast as the gateway takes them */
    Workload workload(double ratePerS) {
        if (replay != null) {
            return new Workload.Replay(replay, ratePerS);
        }
        return generated == null
                ? new Workload.Generated(0, ratePerS, 0)
                : new Workload.Generated(generated.events, ratePerS, generated.size);
    }
}
