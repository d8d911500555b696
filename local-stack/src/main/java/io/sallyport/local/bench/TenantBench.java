package io.sallyport.local.bench;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.MetricsPage;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackSettings;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.ControlSeeds;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures what a tenant at many times its rate does to another one on the same gateway: the quiet one alone, beside a
 * flood whose sensors pause when they are asked to, and beside one whose sensors do not. The three take turns, so that
 * each sees the same machine.
 */
public final class TenantBench {
    /**
     * What to measure.
     *
     * @param quotaBytesPerS of each of the two tenants
     * @param times what the flood offers, in quotas
     * @param seconds of each measurement
     * @param rounds of the three measurements
     * @param sensors of each tenant
     * @param work folder for the stack; made, and removed by the caller
     */
    public record Plan(long quotaBytesPerS, int times, int seconds, int rounds, int sensors, Path work) {}

    private static final String QUIET = "acme";
    private static final String FLOOD = "globex";
    private static final int QUIET_BYTES = 1_000;
    private static final int FLOOD_BYTES = 8_000;
    /** The quiet tenant stays well below its rate. */
    private static final int QUIET_SHARE = 4;

    private static final int WARM_UP_S = 20;
    /** Until what was saved up while nothing came is used up. */
    private static final int SETTLE_S = 5;

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private enum Neighbour {
        NONE("alone"),
        HEEDING("beside_heeding"),
        UNHEEDING("beside_unheeding");

        private final String key;

        Neighbour(String key) {
            this.key = key;
        }
    }

    private final Plan plan;
    private final Progress progress;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<Neighbour, Measured> measured = new LinkedHashMap<>();

    /** What was seen in all rounds with one neighbour. */
    private static final class Measured {
        final Histogram quietUs = new Histogram(3);
        final Histogram floodUs = new Histogram(3);
        double seconds;
        double quietBytes;
        double floodBytes;
        /** What it brings in at first, as it may use up what it saved, is part of these. */
        double floodBytesFromStart;

        double secondsFromStart;
        long throttles;
    }

    public TenantBench(Plan plan, PrintWriter progress) {
        this.plan = plan;
        this.progress = new Progress(progress);
    }

    /** The result as a tree of maps, lists and numbers. */
    public Map<String, Object> run() throws Exception {
        progress.say("starting the processes in " + plan.work());
        StackSettings settings = StackSettings.onFreePorts(plan.work());
        DataFolder data = settings.data();
        try (ProcessStack stack = BenchStack.start(settings)) {
            giveQuotas(stack);
            try (RemoteFleet quiet = RemoteFleet.open(data);
                    RemoteFleet flood = RemoteFleet.open(data)) {
                double rate = (double) plan.quotaBytesPerS() / QUIET_SHARE / QUIET_BYTES;
                quiet.start(FleetOrder.of(gateways(stack), QUIET, plan.sensors(), rate, QUIET_BYTES));
                quiet.awaitConnected(PATIENCE);
                progress.say("warming up");
                flood(stack, flood, "warm-", true);
                TimeUnit.SECONDS.sleep(WARM_UP_S);
                flood.stop();
                for (int round = 1; round <= plan.rounds(); round++) {
                    for (Neighbour neighbour : Neighbour.values()) {
                        progress.say("round %d of %d: %s".formatted(round, plan.rounds(), neighbour.key));
                        measure(stack, quiet, flood, neighbour, round);
                    }
                }
                quiet.finish(PATIENCE);
            }
            return result();
        }
    }

    private void giveQuotas(ProcessStack stack) throws InterruptedException {
        try (var seeds = new ControlSeeds(stack.endpoints().bootstrapServers())) {
            for (String customer : List.of(QUIET, FLOOD)) {
                seeds.put(Customer.newBuilder()
                        .setCustomerId(customer)
                        .setBytesPerSecond(plan.quotaBytesPerS())
                        .build());
            }
        }
    }

    private static List<String> gateways(ProcessStack stack) {
        return List.of(stack.endpoints().token());
    }

    private void flood(ProcessStack stack, RemoteFleet flood, String name, boolean heeds) throws Exception {
        double rate = (double) plan.quotaBytesPerS() * plan.times() / FLOOD_BYTES;
        flood.start(FleetOrder.of(gateways(stack), FLOOD, plan.sensors(), rate, FLOOD_BYTES)
                .named(name)
                .heeding(heeds));
        flood.awaitConnected(PATIENCE);
    }

    private void measure(ProcessStack stack, RemoteFleet quiet, RemoteFleet flood, Neighbour neighbour, int round)
            throws Exception {
        boolean beside = neighbour != Neighbour.NONE;
        MetricsPage first = metrics(stack);
        long firstNs = System.nanoTime();
        if (beside) {
            flood(
                    stack,
                    flood,
                    "%s-%d-".formatted(neighbour.key.replace('_', '-'), round),
                    neighbour == Neighbour.HEEDING);
        }
        TimeUnit.SECONDS.sleep(SETTLE_S);
        FleetLook quietBefore = quiet.look();
        FleetLook floodBefore = beside ? flood.look() : null;
        MetricsPage before = metrics(stack);
        long beganNs = System.nanoTime();
        TimeUnit.SECONDS.sleep(plan.seconds());
        FleetLook quietAfter = quiet.look();
        MetricsPage after = metrics(stack);
        double seconds = (System.nanoTime() - beganNs) / 1e9;
        Measured into = measured.computeIfAbsent(neighbour, key -> new Measured());
        into.quietUs.add(quietAfter.latencyUsSince(quietBefore));
        into.seconds += seconds;
        into.quietBytes += ingested(after, QUIET) - ingested(before, QUIET);
        into.floodBytes += ingested(after, FLOOD) - ingested(before, FLOOD);
        into.floodBytesFromStart += ingested(after, FLOOD) - ingested(first, FLOOD);
        into.secondsFromStart += (System.nanoTime() - firstNs) / 1e9;
        if (quietAfter.report().throttles() > quietBefore.report().throttles()) {
            throw new StackException("the quiet tenant was asked to pause: it is not below its rate");
        }
        if (floodBefore != null) {
            FleetLook floodAfter = flood.look();
            into.floodUs.add(floodAfter.latencyUsSince(floodBefore));
            into.throttles +=
                    floodAfter.report().throttles() - floodBefore.report().throttles();
            flood.stop();
        }
    }

    private MetricsPage metrics(ProcessStack stack) throws Exception {
        return MetricsPage.of(http, stack.endpoints().gateway().management());
    }

    private static double ingested(MetricsPage page, String customer) {
        return page.sum("sallyport_ingest_bytes_total", "customer=\"" + customer + "\"");
    }

    private Map<String, Object> result() {
        var result = new LinkedHashMap<String, Object>();
        Measured alone = measured.get(Neighbour.NONE);
        measured.forEach((neighbour, seen) -> {
            var one = new LinkedHashMap<String, Object>();
            Figures.latency(one, "quiet_ack", seen.quietUs);
            one.put("quiet_mb_per_s", Figures.round(seen.quietBytes / seen.seconds / 1e6));
            if (neighbour != Neighbour.NONE) {
                one.put("quiet_p50_ratio", ratio(seen.quietUs, alone, 50));
                one.put("quiet_p99_ratio", ratio(seen.quietUs, alone, 99));
                Figures.latency(one, "flood_ack", seen.floodUs);
                one.put("flood_mb_per_s", Figures.round(seen.floodBytes / seen.seconds / 1e6));
                one.put("flood_of_its_quota", Figures.round(seen.floodBytes / seen.seconds / plan.quotaBytesPerS()));
                one.put(
                        "flood_of_its_quota_from_its_start",
                        Figures.round(seen.floodBytesFromStart / seen.secondsFromStart / plan.quotaBytesPerS()));
                one.put("throttles_per_s", Figures.round(seen.throttles / seen.seconds));
            }
            result.put(neighbour.key, one);
        });
        var conditions = Figures.conditions();
        conditions.put("quota_mb_per_s", Figures.round(plan.quotaBytesPerS() / 1e6));
        conditions.put("offered_mb_per_s", Figures.round(plan.quotaBytesPerS() * (double) plan.times() / 1e6));
        conditions.put("sensors_of_each", plan.sensors());
        conditions.put("quiet_event_bytes", QUIET_BYTES);
        conditions.put("flood_event_bytes", FLOOD_BYTES);
        conditions.put("seconds_of_each", plan.seconds() * plan.rounds());
        result.put("conditions", conditions);
        return result;
    }

    private static double ratio(Histogram beside, @org.jspecify.annotations.Nullable Measured alone, int percentile) {
        return alone == null
                ? Double.NaN
                : Figures.round(beside.getValueAtPercentile(percentile)
                        / (double) Math.max(1, alone.quietUs.getValueAtPercentile(percentile)));
    }
}
