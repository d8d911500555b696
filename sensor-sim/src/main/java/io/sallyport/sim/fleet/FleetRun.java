package io.sallyport.sim.fleet;

import io.sallyport.sim.core.SensorCore;
import io.sallyport.sim.spool.SpoolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Properties;

/**
 * Tells a fleet that was killed, and goes on, from one that is started again after it had sent everything: the sensors
 * are the same ones in both, but the second sends its workload anew. Where each sensor stood when the run began is kept
 * in the file {@code run.properties} beside the spools.
 */
final class FleetRun {
    /**
     * Where a sensor stood when the run began, over all runs before it.
     *
     * @param produced events taken into the spool
     * @param acked events acknowledged
     * @param skipped events given up
     */
    record Base(long produced, long acked, long skipped) {
        static final Base ZERO = new Base(0, 0, 0);

        static Base of(SensorCore core) {
            return new Base(core.state().produced(), core.state().acked(), core.skipped());
        }
    }

    private static final String WORKLOAD = "workload";
    private static final String SENSOR = "sensor.";

    private final Properties bases;

    private FleetRun(Properties bases) {
        this.bases = bases;
    }

    /**
     * Goes on with the run that the folder holds, or begins a new one where that is done or was of another workload.
     *
     * @param events of each sensor in one run
     * @param cores the sensors as they were found in their spools
     */
    static FleetRun open(FleetConfig config, Map<String, Long> events, Map<String, SensorCore> cores) {
        if (config.spoolDir().isEmpty() || config.workload() instanceof Workload.Endless) {
            return new FleetRun(new Properties());
        }
        Path file = config.spoolDir().get().resolve("run.properties");
        String workload = describe(config);
        try {
            var kept = new FleetRun(read(file));
            if (workload.equals(kept.bases.getProperty(WORKLOAD)) && !kept.isDone(events, cores)) {
                return kept;
            }
            var begun = new Properties();
            begun.setProperty(WORKLOAD, workload);
            cores.forEach((sensor, core) -> {
                Base base = Base.of(core);
                begun.setProperty(SENSOR + sensor, base.produced() + " " + base.acked() + " " + base.skipped());
            });
            write(file, begun);
            return new FleetRun(begun);
        } catch (IOException e) {
            throw new SpoolException("cannot keep the run in " + file, e);
        }
    }

    /** What a sensor had done before the run. */
    Base base(String sensor) {
        String[] numbers = bases.getProperty(SENSOR + sensor, "").split(" ");
        return numbers.length == 3
                ? new Base(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]))
                : Base.ZERO;
    }

    private boolean isDone(Map<String, Long> events, Map<String, SensorCore> cores) {
        return events.entrySet().stream().allMatch(sensor -> {
            SensorCore core = cores.get(sensor.getKey());
            return core != null
                    && core.isSettled()
                    && core.state().produced() - base(sensor.getKey()).produced() >= sensor.getValue();
        });
    }

    private static String describe(FleetConfig config) {
        if (config.workload() instanceof Workload.Generated generated) {
            return "%d events of %d bytes by %d sensors %s"
                    .formatted(generated.events(), generated.payloadBytes(), config.sensors(), config.sensorPrefix());
        }
        return config.workload() instanceof Workload.Replay replay
                ? "replay of " + replay.file().toAbsolutePath().normalize()
                : "";
    }

    private static Properties read(Path file) throws IOException {
        var properties = new Properties();
        if (Files.exists(file)) {
            try (var in = Files.newBufferedReader(file)) {
                properties.load(in);
            }
        }
        return properties;
    }

    private static void write(Path file, Properties properties) throws IOException {
        Path part = file.resolveSibling("run.part");
        try (var out = Files.newBufferedWriter(part)) {
            properties.store(out, null);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
