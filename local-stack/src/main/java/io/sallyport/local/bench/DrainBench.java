package io.sallyport.local.bench;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.Gateway;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Replaces three gateways one after the other under the load of a fleet, each by SIGTERM and a new process: how long the
 * drains take, how the sensors spread over the time until they are back, and whether anything is missing or doubled in
 * the end.
 */
public final class DrainBench {
    /**
     * What to measure.
     *
     * @param sensors over all gateways together
     * @param ratePerS events per second over all sensors together
     * @param work folder for the stack; made, and removed by the caller
     */
    public record Plan(int sensors, double ratePerS, Path work) {}

    private static final int GATEWAYS = 3;
    private static final String CUSTOMER = "acme";
    private static final int EVENT_BYTES = 1_000;
    private static final int CONNECTS_PER_S = 300;
    private static final int WARM_UP_S = 10;
    /** Between a gateway that is back and the drain of the next. */
    private static final int REST_S = 5;

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Plan plan;
    private final Progress progress;

    public DrainBench(Plan plan, PrintWriter progress) {
        this.plan = plan;
        this.progress = new Progress(progress);
    }

    /** One gateway's end and return. */
    private record Drained(String gateway, long beganMs, double exitS, int exitCode, double startS) {}

    /** The result as a tree of maps, lists and numbers. */
    public Map<String, Object> run() throws Exception {
        progress.say("starting the processes in " + plan.work());
        StackSettings settings = StackSettings.onFreePorts(plan.work());
        DataFolder data = settings.data();
        try (ProcessStack stack = BenchStack.start(settings)) {
            var gateways = new ArrayList<>(List.of(stack.endpoints().gateway()));
            for (int node = 1; node < GATEWAYS; node++) {
                gateways.add(stack.addGateway(node));
            }
            try (RemoteFleet fleet = RemoteFleet.open(data)) {
                var order = FleetOrder.of(
                        gateways.stream().map(Gateway::token).toList(),
                        CUSTOMER,
                        plan.sensors(),
                        plan.ratePerS(),
                        EVENT_BYTES);
                fleet.start(order.atHomes(GATEWAYS).from(GATEWAYS, CONNECTS_PER_S));
                fleet.awaitConnected(PATIENCE);
                progress.say("%d sensors are connected".formatted(plan.sensors()));
                TimeUnit.SECONDS.sleep(WARM_UP_S);
                var drains = new ArrayList<Drained>();
                for (Gateway gateway : gateways) {
                    drains.add(replace(stack, gateway));
                    TimeUnit.SECONDS.sleep(REST_S);
                }
                fleet.finish(PATIENCE);
                return result(stack, fleet, drains);
            }
        }
    }

    private Drained replace(ProcessStack stack, Gateway gateway) throws Exception {
        progress.say("SIGTERM to " + gateway.name());
        long beganMs = System.currentTimeMillis();
        long beganNs = System.nanoTime();
        int exitCode = stack.terminate(gateway.name());
        long endedNs = System.nanoTime();
        stack.startPart(gateway.name());
        long readyNs = System.nanoTime();
        return new Drained(gateway.name(), beganMs, (endedNs - beganNs) / 1e9, exitCode, (readyNs - endedNs) / 1e9);
    }

    private Map<String, Object> result(ProcessStack stack, RemoteFleet fleet, List<Drained> drains) throws Exception {
        FleetLook look = fleet.look();
        progress.say("comparing what was acknowledged with what stands in the log");
        new NormalizerLag(
                        stack.endpoints().bootstrapServers(),
                        () -> stack.pid(Endpoints.NORMALIZER_SERVICE).isPresent())
                .awaitNone(PATIENCE);
        var compared =
                RecordedNumbers.read(stack.endpoints().bootstrapServers()).compare(fleet.positions());
        var result = new LinkedHashMap<String, Object>();
        var each = new ArrayList<Map<String, Object>>();
        for (int i = 0; i < drains.size(); i++) {
            long untilMs = i + 1 < drains.size() ? drains.get(i + 1).beganMs() : Long.MAX_VALUE;
            each.add(describe(drains.get(i), untilMs, look));
        }
        result.put("drains", each);
        result.put("acknowledged", compared.acknowledged());
        result.put("lost", compared.lost());
        result.put("doubled", compared.doubled());
        result.put("never_sent", compared.neverSent());
        result.put("markers", compared.markers());
        result.put("new_epochs", look.newEpochs());
        result.put("refused", look.report().refused());
        Histogram latency = look.latencyUs();
        Figures.latency(result, "ack", latency);
        result.put("ack_max_ms", Figures.round(latency.getMaxValue() / 1e3));
        var conditions = Figures.conditions();
        conditions.put("gateways", GATEWAYS);
        conditions.put("sensors", plan.sensors());
        conditions.put("events_per_s", plan.ratePerS());
        conditions.put("event_bytes", EVENT_BYTES);
        result.put("conditions", conditions);
        return result;
    }

    /** Who came back after a drain began and before the next one: sessions per second, from the SIGTERM on. */
    private static Map<String, Object> describe(Drained drain, long untilMs, FleetLook look) {
        var perSecond = new ArrayList<Integer>();
        for (FleetLook.Opened opened : look.acceptedSince(drain.beganMs())) {
            if (opened.atMs() < untilMs) {
                int second = (int) ((opened.atMs() - drain.beganMs()) / 1_000);
                while (perSecond.size() <= second) {
                    perSecond.add(0);
                }
                perSecond.set(second, perSecond.get(second) + 1);
            }
        }
        var one = new LinkedHashMap<String, Object>();
        one.put("gateway", drain.gateway());
        one.put("exit_s", Figures.round(drain.exitS()));
        one.put("exit_code", drain.exitCode());
        one.put("start_s", Figures.round(drain.startS()));
        one.put("reconnects", perSecond.stream().mapToInt(Integer::intValue).sum());
        one.put(
                "most_in_a_second",
                perSecond.stream().mapToInt(Integer::intValue).max().orElse(0));
        one.put("reconnects_per_second", perSecond);
        return one;
    }
}
