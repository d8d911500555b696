package io.sallyport.local.bench;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackSettings;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures what the proof costs: leaves that one core makes, and the share of the normalizer's CPU time that goes into leaves
 * and segments while it works off a full log. The share is that of its flight recorder's samples in which a class of the proof is on the
 * stack, writing to its store and to `proof-segments` included.
 */
public final class ProofBench {
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private final IngestBench.Plan plan;
    private final Progress progress;

    public ProofBench(IngestBench.Plan plan, PrintWriter progress) {
        this.plan = plan;
        this.progress = new Progress(progress);
    }

    /** The result as a tree of maps, lists and numbers. */
    public Map<String, Object> run() throws Exception {
        var leaves = new ArrayList<Map<String, Object>>();
        for (int eventBytes : plan.eventBytes()) {
            progress.say("leaves of events of %d bytes, on one thread".formatted(eventBytes));
            var one = new LinkedHashMap<String, Object>();
            one.put("event_bytes", eventBytes);
            one.put("per_s_and_core", Math.round(new LeafRate(eventBytes).perCpuSecond(false)));
            one.put("per_s_and_core_payload_digest_included", Math.round(new LeafRate(eventBytes).perCpuSecond(true)));
            leaves.add(one);
        }
        progress.say("starting the processes in " + plan.work());
        StackSettings settings = BenchStack.unlimited(plan.work());
        try (ProcessStack stack = BenchStack.start(settings, Endpoints.NORMALIZER_SERVICE)) {
            var runs = new ArrayList<Map<String, Object>>();
            for (int eventBytes : plan.eventBytes()) {
                runs.add(one(stack, settings.data(), eventBytes));
            }
            var result = new LinkedHashMap<String, Object>();
            result.put("leaves", leaves);
            result.put("runs", runs);
            var conditions = new LinkedHashMap<String, Object>();
            conditions.put("processors", Runtime.getRuntime().availableProcessors());
            conditions.put("java", Runtime.version().toString());
            conditions.put("sensors", plan.sensors());
            conditions.put("service_jvm_flags", ProcessStack.serviceFlags());
            conditions.put("method", CpuProfile.method());
            result.put("conditions", conditions);
            return result;
        }
    }

    private Map<String, Object> one(ProcessStack stack, DataFolder data, int eventBytes) throws Exception {
        long events = plan.megabytes() * 1_000_000L / eventBytes;
        progress.say("%d events of %d bytes through the gateway".formatted(events, eventBytes));
        ProcessHandle gateway = process(stack.pid(Endpoints.SESSION_SERVICE).orElse(-1));
        Duration gatewayBefore = Jvm.cpuOf(gateway, Duration.ZERO);
        Jvm.run(
                LoadProcess.class.getName(),
                List.of(
                        data.root().toString(),
                        Integer.toString(plan.sensors()),
                        Integer.toString(eventBytes),
                        Long.toString(plan.sensors()),
                        Long.toString(events),
                        plan.work().resolve("load-" + eventBytes + ".json").toString()),
                line -> {});
        double gatewayCpu = seconds(Jvm.cpuOf(gateway, gatewayBefore).minus(gatewayBefore));
        progress.say("the normalizer works off what came in");
        long pid = ProcessStack.startPart(data, Endpoints.NORMALIZER_SERVICE);
        CpuProfile profile = CpuProfile.start(pid, plan.work());
        new NormalizerLag(
                        stack.endpoints().bootstrapServers(),
                        () -> stack.pid(Endpoints.NORMALIZER_SERVICE).isPresent())
                .awaitNone(PATIENCE);
        double normalizerCpu = seconds(Jvm.cpuOf(process(pid), Duration.ZERO));
        CpuProfile.Share share = profile.stop(ProofBench::ofTheProof);
        stack.stopPart(Endpoints.NORMALIZER_SERVICE);
        var run = new LinkedHashMap<String, Object>();
        run.put("event_bytes", eventBytes);
        run.put("events", events);
        run.put("gateway_cpu_s", round(gatewayCpu));
        run.put("normalizer_cpu_s", round(normalizerCpu));
        run.put("samples", share.samples());
        run.put("samples_of_the_proof", share.matching());
        run.put("share_of_normalizer", round(share.share()));
        // Samples are of the normalizer's own threads; its compiler and collector are in its CPU time beside them.
        run.put("share_of_ingest", round(share.share() * normalizerCpu / (normalizerCpu + gatewayCpu)));
        return run;
    }

    static boolean ofTheProof(String className) {
        return className.startsWith("io.sallyport.envelope.proof.")
                || className.startsWith("io.sallyport.normalizer.streams.SegmentWriter");
    }

    private static ProcessHandle process(long pid) {
        return ProcessHandle.of(pid).orElseThrow(() -> new StackException("a process has ended"));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }

    private static double round(double value) {
        return Double.parseDouble(String.format(Locale.ROOT, "%.4f", value));
    }
}
