package io.sallyport.local.bench;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.store.LocalStore;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackSettings;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.ControlSeeds;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the export through the real processes: events of many tenants go through gateway and normalizer while no
 * exporter runs, then one starts and works them off, into a local folder.
 */
public final class ExportBench {
    /**
     * What to measure.
     *
     * @param tenants whose files are made
     * @param eventBytes payload of each event
     * @param megabytes of payload over all tenants, 10^6 bytes each
     * @param work folder for the stack; made, and removed by the caller
     */
    public record Plan(int tenants, int eventBytes, int megabytes, Path work) {
        /** The same number for each tenant. */
        long eventsOfEach() {
            return Math.max(1, megabytes * 1_000_000L / eventBytes / tenants);
        }
    }

    private static final Duration PATIENCE = Duration.ofMinutes(15);
    private static final Duration REQUEST = Duration.ofMinutes(3);
    private static final int SENSORS_OF_EACH = 2;

    private final Plan plan;
    private final Progress progress;

    public ExportBench(Plan plan, PrintWriter progress) {
        this.plan = plan;
        this.progress = new Progress(progress);
    }

    /** The result as a tree of maps, lists and numbers. */
    public Map<String, Object> run() throws Exception {
        progress.say("starting the processes in " + plan.work());
        StackSettings settings = BenchStack.unlimited(plan.work());
        try (ProcessStack stack = BenchStack.start(settings)) {
            fill(stack);
            progress.say("one exporter works it off");
            long began = System.nanoTime();
            long pid = ProcessStack.startPart(settings.data(), Endpoints.COLD_EXPORT);
            double startSeconds = (System.nanoTime() - began) / 1e9;
            ProcessHandle exporter =
                    ProcessHandle.of(pid).orElseThrow(() -> new StackException("the exporter has ended"));
            List<Manifest> manifests = exported(stack.endpoints(), settings.data(), began);
            double seconds = (System.nanoTime() - began) / 1e9;
            Duration cpu = Jvm.cpuOf(exporter, Duration.ZERO);
            return result(manifests, seconds, startSeconds, cpu);
        }
    }

    private void fill(ProcessStack stack) throws Exception {
        try (var seeds = new ControlSeeds(stack.endpoints().bootstrapServers())) {
            for (int tenant = 0; tenant < plan.tenants(); tenant++) {
                seeds.put(Customer.newBuilder()
                        .setCustomerId(TenantLoad.tenant(tenant))
                        .build());
            }
        }
        progress.say("%d events of %d bytes from %d tenants".formatted(events(), plan.eventBytes(), plan.tenants()));
        Jvm.run(
                TenantLoad.class.getName(),
                List.of(
                        plan.work().toString(),
                        Integer.toString(plan.tenants()),
                        Integer.toString(SENSORS_OF_EACH),
                        Integer.toString(plan.eventBytes()),
                        Long.toString(plan.eventsOfEach())),
                line -> {});
        new NormalizerLag(
                        stack.endpoints().bootstrapServers(),
                        () -> stack.pid(Endpoints.NORMALIZER_SERVICE).isPresent())
                .awaitNone(PATIENCE);
    }

    private long events() {
        return plan.eventsOfEach() * plan.tenants();
    }

    /** Has everything exported, and returns the manifests. */
    private List<Manifest> exported(Endpoints endpoints, DataFolder data, long began)
            throws IOException, InterruptedException {
        var client = HttpClient.newHttpClient();
        URI uri = URI.create("http://" + endpoints.management(Endpoints.COLD_EXPORT) + "/actuator/export");
        HttpRequest now = HttpRequest.newBuilder(uri)
                .timeout(REQUEST)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        while (true) {
            HttpResponse<String> answer = client.send(now, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new StackException(uri + " answers " + answer.statusCode());
            }
            List<Manifest> manifests = manifests(data);
            long rows = manifests.stream().mapToLong(Manifest::rows).sum();
            if (rows >= events()) {
                return manifests;
            }
            if (System.nanoTime() - began > PATIENCE.toNanos()) {
                throw new StackException("only " + rows + " rows are exported within " + PATIENCE.toMinutes() + " min");
            }
        }
    }

    private static List<Manifest> manifests(DataFolder data) throws IOException {
        var store = new LocalStore(data.export());
        List<Manifest> manifests = new ArrayList<>();
        for (int shard = 0; shard < TopicSizing.LOCAL.shardsMax(); shard++) {
            var chain = new ManifestChain(store, shard);
            long last = chain.load().head().version();
            for (long version = 0; version <= last; version++) {
                chain.manifest(version).ifPresent(manifests::add);
            }
        }
        return manifests;
    }

    private Map<String, Object> result(List<Manifest> manifests, double seconds, double startSeconds, Duration cpu) {
        double megabytes = events() * (double) plan.eventBytes() / 1e6;
        long[] sizes = manifests.stream()
                .flatMap(manifest -> manifest.added().stream())
                .mapToLong(FileEntry::size)
                .sorted()
                .toArray();
        long fileBytes = java.util.Arrays.stream(sizes).sum();
        double cpuSeconds = cpu.toMillis() / 1_000.0;
        var files = new LinkedHashMap<String, Object>();
        files.put("count", sizes.length);
        files.put("p50_bytes", quantile(sizes, 0.5));
        files.put("p99_bytes", quantile(sizes, 0.99));
        files.put("largest_bytes", quantile(sizes, 1));
        files.put("bytes", fileBytes);
        files.put("bytes_per_payload_byte", Figures.round(fileBytes / (megabytes * 1e6)));
        var result = new LinkedHashMap<String, Object>();
        result.put("tenants", plan.tenants());
        result.put("event_bytes", plan.eventBytes());
        result.put("rows", events());
        result.put("seconds", Figures.round(seconds));
        result.put("start_seconds", Figures.round(startSeconds));
        result.put("mb_per_s", Figures.round(megabytes / seconds));
        result.put("rows_per_s", Figures.round(events() / seconds));
        result.put("cpu_seconds", Figures.round(cpuSeconds));
        result.put("mb_per_cpu_second", Figures.round(megabytes / cpuSeconds));
        result.put("files", files);
        var conditions = new LinkedHashMap<String, Object>();
        conditions.put("processors", Runtime.getRuntime().availableProcessors());
        conditions.put("java", Runtime.version().toString());
        conditions.put("service_jvm_flags", ProcessStack.serviceFlags());
        conditions.put("store", "local folder");
        conditions.put("time_and_cpu", "from the start of the exporter's process");
        result.put("conditions", conditions);
        return result;
    }

    static long quantile(long[] sorted, double share) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.max(0, Math.ceil(share * sorted.length) - 1)];
    }
}
