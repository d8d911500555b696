package io.sallyport.local.bench;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures ingest through the real processes, TLS on and {@code acks=all}, next to Kafka's own producer tool on the same
 * broker. The normalizer rests meanwhile, since neither side of the comparison has a reader, and then works off what
 * came in, which is measured too.
 */
public final class IngestBench {
    /**
     * What to measure.
     *
     * @param eventBytes payload sizes, one run each
     * @param megabytes of payload per run, 10^6 bytes each
     * @param sensors that send it
     * @param work folder for the stack; made, and removed by the caller
     */
    public record Plan(List<Integer> eventBytes, int megabytes, int sensors, Path work) {}

    private static final JsonMapper JSON = new JsonMapper();
    private static final double GIGA = 1e9;
    private static final int WARM_UP_SHARE = 4;

    private final Plan plan;
    private final Progress progress;

    public IngestBench(Plan plan, PrintWriter progress) {
        this.plan = plan;
        this.progress = new Progress(progress);
    }

    /** The result as a tree of maps, lists and numbers. */
    public Map<String, Object> run() throws Exception {
        progress.say("starting the processes in " + plan.work());
        StackSettings settings = BenchStack.unlimited(plan.work());
        try (ProcessStack stack = BenchStack.start(settings, Endpoints.NORMALIZER_SERVICE)) {
            var runs = new ArrayList<Map<String, Object>>();
            for (int eventBytes : plan.eventBytes()) {
                runs.add(one(stack, eventBytes));
            }
            var result = new LinkedHashMap<String, Object>();
            result.put("runs", runs);
            result.put("normalizer", catchUp(stack, settings, runs));
            result.put("conditions", conditions());
            return result;
        }
    }

    private Map<String, Object> one(ProcessStack stack, int eventBytes) throws Exception {
        long events = plan.megabytes() * 1_000_000L / eventBytes;
        progress.say("%d events of %d bytes through the gateway".formatted(events, eventBytes));
        var usage = new CpuUsage(stack);
        JsonNode load = load(eventBytes, events, usage);
        double seconds = load.get("seconds").asDouble();
        double gigabytes = events * (double) eventBytes / GIGA;
        double mbPerS = gigabytes * 1_000 / seconds;
        progress.say("%.0f MB/s; now the same bytes through Kafka's own tool".formatted(mbPerS));
        var kafka = new KafkaTool(stack.endpoints().bootstrapServers(), plan.work())
                .run(eventBytes, events, Topics.RAW.partitions(TopicSizing.LOCAL));
        progress.say("%.0f MB/s".formatted(kafka.mbPerS()));
        var run = new LinkedHashMap<String, Object>();
        run.put("event_bytes", eventBytes);
        run.put("events", events);
        run.put("seconds", Figures.round(seconds));
        run.put("mb_per_s", Figures.round(mbPerS));
        run.put("events_per_s", Figures.round(events / seconds));
        run.put(
                "ack_p50_ms",
                Figures.round(load.get("ack_latency_ms").get("p50").asDouble()));
        run.put(
                "ack_p99_ms",
                Figures.round(load.get("ack_latency_ms").get("p99").asDouble()));
        run.put("gateway_cpu_s_per_gb", Figures.round(usage.gatewaySeconds() / gigabytes));
        run.put("broker_cpu_s_per_gb", Figures.round(usage.brokerSeconds() / gigabytes));
        run.put("batches", load.get("batches").asLong());
        run.put("kafka_mb_per_s", Figures.round(kafka.mbPerS()));
        run.put("kafka_cpu_s_per_gb", Figures.round(kafka.cpu().toMillis() / 1_000.0 / gigabytes));
        run.put("kafka_p50_ms", Figures.round(kafka.p50Ms()));
        run.put("kafka_p99_ms", Figures.round(kafka.p99Ms()));
        run.put("ratio", Figures.round(mbPerS / kafka.mbPerS()));
        return run;
    }

    private JsonNode load(int eventBytes, long events, CpuUsage usage) throws IOException, InterruptedException {
        Path report = plan.work().resolve("load-" + eventBytes + ".json");
        var arguments = List.of(
                plan.work().toString(),
                Integer.toString(plan.sensors()),
                Integer.toString(eventBytes),
                Long.toString(Math.max(plan.sensors(), events / WARM_UP_SHARE)),
                Long.toString(events),
                report.toString());
        Jvm.run(LoadProcess.class.getName(), arguments, line -> {
            if (line.equals(LoadProcess.MEASURE)) {
                usage.begin();
            } else if (line.equals(LoadProcess.DONE)) {
                usage.end();
            }
        });
        return JSON.readTree(Files.readString(report));
    }

    private Map<String, Object> catchUp(ProcessStack stack, StackSettings settings, List<Map<String, Object>> runs)
            throws Exception {
        progress.say("the normalizer works off what came in");
        double megabytes = 0;
        long events = 0;
        for (Map<String, Object> run : runs) {
            // The warm-up of each run is in the log too.
            long all = ((Number) run.getOrDefault("events", 0L)).longValue();
            all += all / WARM_UP_SHARE;
            events += all;
            megabytes += all * ((Number) run.getOrDefault("event_bytes", 0)).doubleValue() / 1e6;
        }
        var lag = new NormalizerLag(
                stack.endpoints().bootstrapServers(),
                () -> stack.pid(Endpoints.NORMALIZER_SERVICE).isPresent());
        long began = System.nanoTime();
        ProcessStack.startPart(settings.data(), Endpoints.NORMALIZER_SERVICE);
        long ready = System.nanoTime();
        lag.awaitNone(Duration.ofMinutes(30));
        double seconds = (System.nanoTime() - began) / 1e9;
        var result = new LinkedHashMap<String, Object>();
        result.put("state_while_measuring", "stopped");
        result.put("catch_up_seconds", Figures.round(seconds));
        result.put("start_seconds", Figures.round((ready - began) / 1e9));
        result.put("catch_up_mb_per_s", Figures.round(megabytes / seconds));
        result.put("catch_up_events_per_s", Figures.round(events / seconds));
        return result;
    }

    private Map<String, Object> conditions() {
        Map<String, Object> conditions = Figures.machine();
        conditions.put("sensors", plan.sensors());
        conditions.put("listener", "mtls, TLS 1.3, codec none");
        conditions.put("load_jvm_flags", Jvm.FLAGS);
        conditions.put("service_jvm_flags", ProcessStack.serviceFlags());
        conditions.put("kafka_tool_properties", KafkaTool.PROPERTIES);
        conditions.put("kafka_cpu", "its JVM's start included");
        return conditions;
    }

    /** CPU time of gateway and broker between two moments. */
    private static final class CpuUsage {
        private final ProcessHandle gateway;
        private final ProcessHandle broker;
        private volatile Duration gatewayTime = Duration.ZERO;
        private volatile Duration brokerTime = Duration.ZERO;

        CpuUsage(ProcessStack stack) {
            gateway = handle(stack, Endpoints.SESSION_SERVICE);
            broker = handle(stack, Endpoints.BROKER);
        }

        private static ProcessHandle handle(ProcessStack stack, String name) {
            long pid = stack.pid(name).orElseThrow(() -> new StackException(name + " has ended"));
            return ProcessHandle.of(pid).orElseThrow(() -> new StackException(name + " has ended"));
        }

        void begin() {
            gatewayTime = Jvm.cpuOf(gateway, Duration.ZERO);
            brokerTime = Jvm.cpuOf(broker, Duration.ZERO);
        }

        void end() {
            gatewayTime = Jvm.cpuOf(gateway, gatewayTime).minus(gatewayTime);
            brokerTime = Jvm.cpuOf(broker, brokerTime).minus(brokerTime);
        }

        double gatewaySeconds() {
            return gatewayTime.toMillis() / 1_000.0;
        }

        double brokerSeconds() {
            return brokerTime.toMillis() / 1_000.0;
        }
    }
}
