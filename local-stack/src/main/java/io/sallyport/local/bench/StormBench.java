package io.sallyport.local.bench;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Gateway;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Kills a gateway with all its sensors and starts it again. The sensors know another gateway too, so that the storm goes
 * to both, and the second one already serves sensors of another customer: how fast all come back, what it costs, and
 * what those see that were connected.
 */
public final class StormBench {
    /**
     * What to measure.
     *
     * @param sensors on the gateway that is killed
     * @param steady sensors of another customer on the gateway that stays
     * @param work folder for the stack; made, and removed by the caller
     */
    public record Plan(int sensors, int steady, Path work) {}

    private static final String STORM = "acme";
    private static final String STEADY = "globex";
    private static final int EVENT_BYTES = 1_000;
    /** Each sensor of the storm has an event every 20 s, each steady one two a second. */
    private static final double STORM_RATE_PER_SENSOR = 0.05;

    private static final double STEADY_RATE_PER_SENSOR = 2;
    /** Sensors of one customer in different places: 100 of them behind one address prefix. */
    private static final int SENSORS_OF_NETWORK = 100;

    private static final int FIRST_CONNECTS_PER_S = 250;
    private static final int BEFORE_S = 20;
    private static final int AFTER_S = 10;
    private static final int LOOK_MS = 500;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Plan plan;
    private final Progress progress;

    public StormBench(Plan plan, PrintWriter progress) {
        this.plan = plan;
        this.progress = new Progress(progress);
    }

    /** The result as a tree of maps, lists and numbers. */
    public Map<String, Object> run() throws Exception {
        progress.say("starting the processes in " + plan.work());
        StackSettings settings = StackSettings.onFreePorts(plan.work());
        DataFolder data = settings.data();
        try (ProcessStack stack = BenchStack.start(settings)) {
            Gateway stays = stack.endpoints().gateway();
            Gateway dies = stack.addGateway(1);
            try (RemoteFleet storm = RemoteFleet.open(data);
                    RemoteFleet steady = RemoteFleet.open(data)) {
                steady.start(FleetOrder.of(
                                List.of(stays.token()),
                                STEADY,
                                plan.steady(),
                                plan.steady() * STEADY_RATE_PER_SENSOR,
                                EVENT_BYTES)
                        .named("steady-"));
                int networks = Math.max(1, plan.sensors() / SENSORS_OF_NETWORK);
                storm.start(FleetOrder.of(
                                List.of(dies.token(), stays.token()),
                                STORM,
                                plan.sensors(),
                                plan.sensors() * STORM_RATE_PER_SENSOR,
                                EVENT_BYTES)
                        .named("storm-")
                        .from(networks, FIRST_CONNECTS_PER_S));
                steady.awaitConnected(PATIENCE);
                storm.awaitConnected(PATIENCE);
                progress.say("%d sensors are connected, %d of them to the gateway that will be killed"
                        .formatted(plan.sensors() + plan.steady(), plan.sensors()));
                return strike(stack, List.of(stays, dies), storm, steady);
            }
        }
    }

    private Map<String, Object> strike(
            ProcessStack stack, List<Gateway> gateways, RemoteFleet storm, RemoteFleet steady) throws Exception {
        Gateway stays = gateways.get(0);
        Gateway dies = gateways.get(1);
        // A session in which nothing was sent is no proof of where the sensor stands.
        while (storm.look().report().eventsAcked() < plan.sensors() * 1.2) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        FleetLook steadyFirst = steady.look();
        TimeUnit.SECONDS.sleep(BEFORE_S);
        FleetLook steadyBefore = steady.look();
        FleetLook stormBefore = storm.look();
        GatewayMeter stayed = GatewayMeter.of(stack, stays);
        stayed.look();
        progress.say("kill -9 to " + dies.name());
        long killedMs = System.currentTimeMillis();
        long killedNs = System.nanoTime();
        stack.kill(dies.name());
        CompletableFuture<Double> started = CompletableFuture.supplyAsync(() -> startAgain(stack, dies, killedNs));
        FleetLook stormNow = storm.look();
        while (stormNow.report().connected() < plan.sensors()
                || stormNow.acceptedSince(killedMs).size() < plan.sensors()) {
            if (System.nanoTime() - killedNs > PATIENCE.toNanos()) {
                throw new StackException("not all are back after " + PATIENCE + ": " + stormNow.report());
            }
            stayed.look();
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            stormNow = storm.look();
        }
        double backS = (System.nanoTime() - killedNs) / 1e9;
        progress.say("all are back after %.1f s".formatted(backS));
        FleetLook steadyDuring = steady.look();
        stayed.look();
        double startS = started.join();
        progress.say("the gateway is back after %.1f s".formatted(startS));
        GatewayMeter returned = GatewayMeter.of(stack, dies);
        returned.look();
        FleetLook steadyCalm = steady.look();
        TimeUnit.SECONDS.sleep(AFTER_S);
        FleetLook steadyAfter = steady.look();
        steady.finish(PATIENCE);
        storm.finish(PATIENCE);
        var result = new LinkedHashMap<String, Object>();
        result.put("gateway_back_s", Figures.round(startS));
        result.put("all_back_s", Figures.round(backS));
        result.putAll(accepts(stormNow, killedMs));
        result.put("new_epochs", stormNow.newEpochs() - stormBefore.newEpochs());
        result.put(
                "refused",
                since(stormNow.report().refused(), stormBefore.report().refused()));
        double connections =
                stormNow.report().connections() - stormBefore.report().connections();
        double resumed = stayed.opened() + returned.opened();
        result.put("tls_handshakes", connections);
        result.put("tls_resumed", resumed);
        result.put("tls_resumed_share", Figures.round(resumed / Math.max(1, connections)));
        double local = stayed.localResumes() + returned.localResumes();
        double asked = stayed.asked() + returned.asked();
        result.put("resumes_local", local);
        result.put("asked_of_the_authority", asked);
        result.put("local_share", Figures.round(local / Math.max(1, local + asked)));
        Figures.latency(result, "steady_ack_before", steadyBefore.latencyUsSince(steadyFirst));
        Figures.latency(result, "steady_ack_during", steadyDuring.latencyUsSince(steadyBefore));
        Figures.latency(result, "steady_ack_after", steadyAfter.latencyUsSince(steadyCalm));
        result.put(
                "steady_reconnects",
                steadyAfter.report().reconnects() - steadyBefore.report().reconnects());
        result.put("gateway_that_stayed", stayed.figures());
        result.put("gateway_that_returned", returned.figures());
        result.put("conditions", conditions());
        return result;
    }

    /** @return seconds since the kill when it serves again */
    private static double startAgain(ProcessStack stack, Gateway gateway, long killedNs) {
        try {
            stack.startPart(gateway.name());
            return (System.nanoTime() - killedNs) / 1e9;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Sessions of the storm per second, by gateway. */
    private static Map<String, Object> accepts(FleetLook look, long sinceMs) {
        var byNode = new TreeMap<Integer, List<Integer>>();
        for (FleetLook.Opened opened : look.acceptedSince(sinceMs)) {
            List<Integer> perSecond = byNode.computeIfAbsent(opened.node(), node -> new ArrayList<>());
            int second = (int) ((opened.atMs() - sinceMs) / 1_000);
            while (perSecond.size() <= second) {
                perSecond.add(0);
            }
            perSecond.set(second, perSecond.get(second) + 1);
        }
        var result = new LinkedHashMap<String, Object>();
        byNode.forEach((node, perSecond) -> {
            result.put(
                    "accepted_by_node_" + node,
                    perSecond.stream().mapToInt(Integer::intValue).sum());
            result.put("accepted_per_second_by_node_" + node, perSecond);
            result.put(
                    "most_in_a_second_by_node_" + node,
                    perSecond.stream().mapToInt(Integer::intValue).max().orElse(0));
        });
        result.put("admitted_at_most_per_s_and_node", 500);
        return result;
    }

    private static Map<String, Long> since(Map<String, Long> now, Map<String, Long> before) {
        var counts = new TreeMap<String, Long>();
        now.forEach((code, count) -> counts.put(code, count - before.getOrDefault(code, 0L)));
        return counts;
    }

    private Map<String, Object> conditions() {
        var conditions = Figures.conditions();
        conditions.put("sensors", plan.sensors());
        conditions.put("steady_sensors", plan.steady());
        conditions.put("sensors_of_a_network", SENSORS_OF_NETWORK);
        conditions.put("storm_events_per_s", plan.sensors() * STORM_RATE_PER_SENSOR);
        conditions.put("steady_events_per_s", plan.steady() * STEADY_RATE_PER_SENSOR);
        conditions.put("event_bytes", EVENT_BYTES);
        conditions.put("backoff_ms", "1000 to 8000, doubling, full jitter");
        return conditions;
    }
}
