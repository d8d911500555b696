package io.sallyport.local.bench;

import io.sallyport.local.stack.Gateway;
import io.sallyport.local.stack.MetricsPage;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks at one process of a gateway again and again, and keeps the peaks. */
final class GatewayMeter {
    private static final double MEGA = 1e6;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Gateway gateway;
    private final long pid;
    private @Nullable MetricsPage first;
    private MetricsPage last = new MetricsPage("");
    private double heapBytes;
    private double directBytes;
    private double handshakes;
    private double sessions;

    private GatewayMeter(Gateway gateway, long pid) {
        this.gateway = gateway;
        this.pid = pid;
    }

    /** Of the process that runs now. */
    static GatewayMeter of(ProcessStack stack, Gateway gateway) {
        return new GatewayMeter(
                gateway,
                stack.pid(gateway.name()).orElseThrow(() -> new StackException(gateway.name() + " has ended")));
    }

    void look() throws IOException, InterruptedException {
        if (ProcessHandle.of(pid).isEmpty()) {
            throw new StackException(gateway.name() + " has ended");
        }
        MetricsPage now;
        try {
            now = MetricsPage.of(http, gateway.management());
        } catch (IOException e) {
            // Too busy to answer; what it counts is seen at the next look.
            return;
        }
        if (first == null) {
            first = now;
        }
        last = now;
        heapBytes = Math.max(heapBytes, now.sum("jvm_memory_used_bytes", "area=\"heap\""));
        directBytes = Math.max(directBytes, now.sum("sallyport_memory_direct"));
        handshakes = Math.max(handshakes, now.sum("sallyport_handshakes"));
        sessions = Math.max(sessions, now.sum("sallyport_sessions"));
    }

    private double since(String name, boolean fromStart) {
        return last.sum(name) - (fromStart || first == null ? 0 : first.sum(name));
    }

    /** A process that was met before the storm has counted other things before. */
    private boolean isNew() {
        return gateway.node() != 0;
    }

    /** TLS sessions that were resumed by a ticket. */
    double opened() {
        return since("sallyport_tls_tickets_opened", isNew());
    }

    double localResumes() {
        return since("sallyport_epoch_resumes_local_total", isNew());
    }

    double asked() {
        return since("sallyport_epoch_claim_seconds_count", isNew());
    }

    Map<String, Object> figures() throws IOException {
        var figures = new LinkedHashMap<String, Object>();
        figures.put("heap_peak_mb", Figures.round(heapBytes / MEGA));
        figures.put("direct_peak_mb", Figures.round(directBytes / MEGA));
        figures.put("rss_peak_mb", Figures.round(peakRssBytes() / MEGA));
        figures.put("handshakes_peak", handshakes);
        figures.put("sessions_peak", sessions);
        return figures;
    }

    /** What the kernel keeps: the largest resident set that the process ever had. */
    private double peakRssBytes() throws IOException {
        try (var lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1_024)
                    .findFirst()
                    .orElse(0);
        }
    }
}
