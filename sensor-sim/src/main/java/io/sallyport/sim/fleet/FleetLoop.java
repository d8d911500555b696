package io.sallyport.sim.fleet;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.sim.core.SensorState;
import io.sallyport.sim.netty.BatchFrameWriter;
import io.sallyport.sim.netty.LinkLoop;
import io.sallyport.sim.netty.LinkTarget;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sensors of one thread: their clock, their pace, and the turn-taking of their connects. */
final class FleetLoop {
    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);
    /** How often paced sensors get events, and unpaced ones look for some. */
    static final int TICK_MS = 5;
    /** How often every sensor's timers are looked at. */
    private static final int TIMERS_EVERY_TICKS = 10;
    /** Handshakes at a time: more would only make each of them slower. */
    private static final int MAX_HANDSHAKES = 32;

    private final LinkLoop loop;
    private final FleetConfig config;
    private final FleetProgress progress;
    private final MessageListener messages;
    private final SessionListener sessions;
    private final List<SensorRunner> runners = new ArrayList<>();
    private final Deque<Runnable> connects = new ArrayDeque<>();
    /** Those that wait for nobody. */
    private final Deque<Runnable> reconnects = new ArrayDeque<>();

    private final Pace pace;
    private final Pace connectPace;
    private final SplittableRandom random;
    private int handshakes;
    private int ticks;
    private int turn;
    private boolean finishing;
    private boolean stopped;

    /** @param share of the whole fleet that runs here, 0 … 1 */
    FleetLoop(
            LinkLoop loop,
            FleetConfig config,
            FleetProgress progress,
            MessageListener messages,
            SessionListener sessions,
            double share,
            long seed) {
        this.loop = loop;
        this.messages = messages;
        this.sessions = sessions;
        this.config = config;
        this.progress = progress;
        this.pace = new Pace(Fleet.ratePerS(config.workload()) * share);
        this.connectPace = new Pace(config.link().connectsPerS() * share);
        this.random = new SplittableRandom(seed);
    }

    void add(SensorRunner runner) {
        runners.add(runner);
    }

    void start() {
        loop.every(TICK_MS, this::tick);
    }

    /** Runs on the loop's thread. */
    void states(Map<SensorKey, SensorState> into) {
        runners.forEach(runner -> into.put(runner.key(), runner.state()));
    }

    /** No more events are made. Runs on the loop's thread. */
    void finish() {
        finishing = true;
    }

    boolean isFinishing() {
        return finishing;
    }

    /** Runs on the loop's thread. */
    void stop() {
        stopped = true;
        connects.clear();
        reconnects.clear();
        runners.forEach(SensorRunner::stop);
    }

    private void tick() {
        if (stopped) {
            return;
        }
        try {
            long nowUs = nowUs();
            for (int i = reconnects.size(); i > 0; i--) {
                handshakes++;
                reconnects.remove().run();
            }
            int connectsDue = connectPace.due(nowUs, connects.size());
            for (int i = 0; i < connectsDue && handshakes < MAX_HANDSHAKES; i++) {
                Runnable next = connects.poll();
                if (next != null) {
                    handshakes++;
                    next.run();
                }
            }
            if (isPaced()) {
                grant(pace.due(nowUs, Integer.MAX_VALUE));
            }
            boolean timers = ticks++ % TIMERS_EVERY_TICKS == 0;
            for (SensorRunner runner : runners) {
                if (timers || runner.wantsTick()) {
                    runner.tick(nowUs);
                }
            }
        } catch (RuntimeException e) {
            LOG.error("the fleet's clock failed", e);
            failed("the fleet's clock failed: " + e.getMessage());
        }
    }

    /** One event each in turn; a sensor that is full or done is passed over. */
    private void grant(int events) {
        int refused = 0;
        while (events > 0 && refused < runners.size()) {
            turn = turn + 1 >= runners.size() ? 0 : turn + 1;
            if (runners.get(turn).grant()) {
                events--;
                refused = 0;
            } else {
                refused++;
            }
        }
    }

    // ---- for the sensors -------------------------------------------------------------------------------------

    /** Monotonic, from an arbitrary start. */
    long nowUs() {
        return progress.nowUs();
    }

    long wallUs() {
        return System.currentTimeMillis() * 1_000;
    }

    double jitter() {
        return random.nextDouble();
    }

    boolean isPaced() {
        return pace.perS() > 0;
    }

    Logger log() {
        return LOG;
    }

    FleetCounters counters() {
        return progress.counters();
    }

    MessageListener messages() {
        return messages;
    }

    SessionListener sessions() {
        return sessions;
    }

    boolean heedsThrottle() {
        return config.link().heedsThrottle();
    }

    BatchFrameWriter writer() {
        return loop.writer();
    }

    SensorCredential credential(SensorKey key) {
        return config.credentials().forSensor(key);
    }

    void wantsConnect(SensorRunner runner, String endpoint) {
        boolean paced = config.link().reconnectsPaced() || !runner.hasConnected();
        (paced ? connects : reconnects).add(() -> runner.connect(endpoint));
    }

    /** @param turn how many connections the sensor had before */
    void connect(String endpoint, int turn, SensorCredential credential, SensorRunner runner) {
        FleetLink link = config.link();
        InetSocketAddress gateway = endpoint.isEmpty() ? link.gatewayOf(runner.number(), turn) : address(endpoint);
        loop.connect(
                new LinkTarget(gateway, link.sourceOf(runner.number()), link.serverName()),
                credential.trustAnchor(),
                credential.privateKey(),
                credential.certificateChain(),
                runner);
    }

    void handshakeEnded() {
        handshakes--;
    }

    /** A connection stands, TLS included. */
    void linked() {
        counters().connections.increment();
        progress.linked();
    }

    void notLinked(String reason) {
        progress.notLinked(reason);
    }

    void sensorConnected() {
        progress.sensorConnected();
    }

    void sensorDone() {
        progress.sensorDone();
    }

    void failed(String reason) {
        progress.failed(reason);
    }

    private static InetSocketAddress address(String endpoint) {
        int colon = endpoint.lastIndexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException("an endpoint without a port");
        }
        String host = endpoint.substring(0, colon).replaceAll("[\\[\\]]", "");
        return InetSocketAddress.createUnresolved(host, Integer.parseInt(endpoint.substring(colon + 1)));
    }
}
