package io.sallyport.sim.fleet;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.sim.core.SensorCore;
import io.sallyport.sim.core.SensorSettings;
import io.sallyport.sim.core.SensorState;
import io.sallyport.sim.netty.LinkLoop;
import io.sallyport.sim.netty.LinkLoops;
import io.sallyport.sim.spool.MemorySpools;
import io.sallyport.sim.spool.RocksSpools;
import io.sallyport.sim.spool.SensorSpool;
import io.sallyport.sim.spool.SpoolStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Many reference sensors in one process.
 *
 * <p>With a spool folder a fleet that was killed goes on where it stopped, if it is started with the same sensors and
 * workload: each sensor's number of events made so far is written together with the events themselves, so that the
 * events of a {@link Workload.Generated} are exactly as many, and those of a {@link Workload.Replay} exactly those of the
 * file, over all restarts. {@code eventsAcked} and {@code skipped} of the report count over these restarts too; batches,
 * bytes, reconnects and latencies count from the start of this process. A fleet that had sent everything sends it anew:
 * the same sensors, the next numbers.
 */
public final class Fleet implements AutoCloseable {
    private static final long CLOSE_TIMEOUT_S = 10;

    private final FleetProgress progress;
    private final SpoolStore spools;
    private final LinkLoops loops;
    private final List<LinkLoop> linkLoops;
    private final List<FleetLoop> fleetLoops = new ArrayList<>();
    private final @Nullable ReplayReader reader;

    private Fleet(FleetConfig config, Map<String, Long> sensors, MessageListener messages, SessionListener sessions) {
        progress = new FleetProgress(sensors.size(), sum(sensors.values()));
        spools = config.spoolDir().isPresent()
                ? new RocksSpools(config.spoolDir().get(), false)
                : new MemorySpools();
        int threads = Math.max(1, Math.min(sensors.size(), Runtime.getRuntime().availableProcessors()));
        loops = new LinkLoops(threads);
        linkLoops = loops.all();
        var replays = new LinkedHashMap<String, ReplaySource>();
        try {
            populate(config, sensors, messages, sessions, replays);
        } catch (RuntimeException e) {
            loops.close();
            spools.close();
            throw e;
        }
        reader = config.workload() instanceof Workload.Replay replay
                ? new ReplayReader(new Recording(replay.file()), replays, progress)
                : null;
    }

    /**
     * Opens the spools and begins to connect; returns at once.
     *
     * @throws IllegalArgumentException where the recording cannot be understood
     * @throws UncheckedIOException where the recording cannot be read
     */
    public static Fleet start(FleetConfig config) {
        return start(config, MessageListener.NONE);
    }

    /**
     * As {@link #start(FleetConfig)}.
     *
     * @param sessions told how the sensors come and go
     */
    public static Fleet start(FleetConfig config, SessionListener sessions) {
        return start(config, MessageListener.NONE, sessions);
    }

    /**
     * As {@link #start(FleetConfig)}.
     *
     * @param messages told of each message that a sensor takes
     */
    public static Fleet start(FleetConfig config, MessageListener messages) {
        return start(config, messages, SessionListener.NONE);
    }

    private static Fleet start(FleetConfig config, MessageListener messages, SessionListener sessions) {
        var fleet = new Fleet(config, sensors(config), messages, sessions);
        fleet.fleetLoops.forEach(FleetLoop::start);
        if (fleet.reader != null) {
            fleet.reader.start();
        }
        return fleet;
    }

    /** Sensor ids with the number of events of each. */
    private static Map<String, Long> sensors(FleetConfig config) {
        if (config.workload() instanceof Workload.Replay replay) {
            try {
                return new Recording(replay.file()).sensors();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the recording was read", e);
            }
        }
        var sensors = new LinkedHashMap<String, Long>();
        for (int i = 0; i < config.sensors(); i++) {
            long events = Long.MAX_VALUE;
            if (config.workload() instanceof Workload.Generated generated) {
                events = generated.events() / config.sensors() + (i < generated.events() % config.sensors() ? 1 : 0);
            }
            sensors.put(config.sensorPrefix() + i, events);
        }
        return sensors;
    }

    /** {@link Long#MAX_VALUE} where the workload has no end. */
    private static long sum(Collection<Long> events) {
        return events.contains(Long.MAX_VALUE)
                ? Long.MAX_VALUE
                : events.stream().mapToLong(Long::longValue).sum();
    }

    static double ratePerS(Workload workload) {
        if (workload instanceof Workload.Generated generated) {
            return generated.ratePerS();
        }
        return workload instanceof Workload.Endless endless
                ? endless.ratePerS()
                : ((Workload.Replay) workload).ratePerS();
    }

    private void populate(
            FleetConfig config,
            Map<String, Long> sensors,
            MessageListener messages,
            SessionListener sessions,
            Map<String, ReplaySource> replays) {
        SensorSettings settings = SensorSettings.DEFAULTS
                .withCodec(config.codec())
                .withPrioritySplit(config.prioritySplit())
                .withRefuseShare(config.refuseShare())
                .withBackoff(config.link().backoffMinMs(), config.link().backoffMaxMs());
        PayloadPool pool = new PayloadPool(payloadBytes(config.workload()));
        for (int i = 0; i < linkLoops.size(); i++) {
            double share = 1.0 / linkLoops.size();
            fleetLoops.add(new FleetLoop(
                    linkLoops.get(i), config, progress, messages, sessions, share, System.nanoTime() + i));
        }
        var opened = new LinkedHashMap<String, SensorSpool>();
        var cores = new LinkedHashMap<String, SensorCore>();
        for (String sensor : sensors.keySet()) {
            var key = new SensorKey(config.customerId(), sensor);
            SensorSpool spool = spools.open(key);
            opened.put(sensor, spool);
            cores.put(sensor, new SensorCore(key, host(key), settings, spool.recover()));
        }
        FleetRun run = FleetRun.open(config, sensors, cores);
        int number = 0;
        for (Map.Entry<String, SensorSpool> sensor : opened.entrySet()) {
            var key = new SensorKey(config.customerId(), sensor.getKey());
            SensorCore core = Objects.requireNonNull(cores.get(sensor.getKey()));
            long events = Objects.requireNonNull(sensors.get(sensor.getKey()));
            FleetRun.Base base = run.base(sensor.getKey());
            long produced = core.state().produced() - base.produced();
            EventSource source;
            if (config.workload() instanceof Workload.Replay) {
                var replay = new ReplaySource(events, produced);
                replays.put(sensor.getKey(), replay);
                source = replay;
            } else {
                source = new GeneratedSource(pool, key.hashCode() ^ core.state().produced(), events - produced);
            }
            FleetLoop loop = fleetLoops.get(number % fleetLoops.size());
            loop.add(new SensorRunner(key, number++, core, sensor.getValue(), source, loop, base));
        }
    }

    private static int payloadBytes(Workload workload) {
        if (workload instanceof Workload.Generated generated) {
            return generated.payloadBytes();
        }
        return workload instanceof Workload.Endless endless ? endless.payloadBytes() : 1;
    }

    private static HostMetadata host(SensorKey key) {
        return HostMetadata.newBuilder()
                .setHostId(key.topicKey())
                .setHostname(key.sensorId())
                .setDomainRole("member")
                .setOsFamily("windows")
                .setOsName("Windows 11 Enterprise")
                .setOsVersion("10.0.22631")
                .setArch("x86_64")
                .setDeviceClass(Math.floorMod(key.hashCode(), 5) == 0 ? "server" : "workstation")
                .setAgentVersion("1.0.0")
                .addCapabilities("zstd")
                .putTags("site", "site-" + Math.floorMod(key.hashCode(), 4))
                .build();
    }

    /** Waits until every sensor has had an ACCEPT; false where the time is over or {@link #failure()} is present. */
    public boolean awaitConnected(Duration timeout) throws InterruptedException {
        return progress.awaitConnected(timeout);
    }

    /** Waits until every event is acknowledged or skipped; false where the time is over or {@link #failure()} is present. */
    public boolean awaitDone(Duration timeout) throws InterruptedException {
        return progress.awaitDone(timeout);
    }

    /** What was done so far. */
    public FleetReport report() {
        return progress.counters().report(progress.nowUs() / 1e6);
    }

    /** From the first send of an event to the ACK that covers it, in microseconds, since the start. */
    public Histogram ackLatencyUs() {
        return progress.counters().latencyUs();
    }

    /** What each sensor has numbered and what is acknowledged of it, in its newest epoch. */
    public Map<SensorKey, SensorState> states() throws InterruptedException {
        var states = new ConcurrentHashMap<SensorKey, SensorState>();
        onEachLoop(loop -> loop.states(states));
        return states;
    }

    /** Lets the sensors make no more events; {@link #awaitDone} then waits until those that were made are settled. */
    public void finish() throws InterruptedException {
        onEachLoop(FleetLoop::finish);
    }

    private void onEachLoop(Consumer<FleetLoop> task) throws InterruptedException {
        var running = new CountDownLatch(fleetLoops.size());
        for (int i = 0; i < fleetLoops.size(); i++) {
            FleetLoop loop = fleetLoops.get(i);
            linkLoops.get(i).execute(() -> {
                task.accept(loop);
                running.countDown();
            });
        }
        running.await(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
    }

    /** Events of one run over all sensors; {@link Long#MAX_VALUE} where the workload has no end. */
    public long events() {
        return progress.events();
    }

    /**
     * Why the newest connection could not be made, for a person to read; empty once any sensor had one. The fleet goes
     * on trying all the same.
     */
    public Optional<String> connectProblem() {
        return progress.connectProblem();
    }

    /** Why the fleet cannot go on, for a person to read: a final REJECT, or a spool that fails. */
    public Optional<String> failure() {
        return progress.failure();
    }

    /** Stops the generators, closes the connections and the spools; what is spooled on disk stays. */
    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
        try {
            onEachLoop(FleetLoop::stop);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        loops.close();
        spools.close();
    }
}
