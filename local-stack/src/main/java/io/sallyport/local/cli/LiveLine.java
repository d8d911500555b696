package io.sallyport.local.cli;

import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.MetricsPage;
import io.sallyport.local.stack.NormalizerProgress;
import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Optional;

/** One line on a terminal that shows what the stack does; draws nothing elsewhere. */
final class LiveLine implements AutoCloseable {
    private static final String ACKED = "sallyport_ingest_events_total";
    private static final String STRUCTURED = "sallyport_normalizer_events_total";
    private static final String MARKERS = "sallyport_normalizer_markers_total";
    /** Clears what an earlier, longer line has left. */
    private static final String CLEAR = "\r\u001b[K";

    private final Endpoints endpoints;
    private final PrintWriter out;
    private final Optional<NormalizerProgress> progress;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
    private double lastStructured = -1;
    private long lastNanos;

    LiveLine(Endpoints endpoints, PrintWriter out, boolean onTerminal) {
        this.endpoints = endpoints;
        this.out = out;
        this.progress =
                onTerminal ? Optional.of(new NormalizerProgress(endpoints.bootstrapServers())) : Optional.empty();
    }

    /** @param trouble of the fleet, shown in front */
    void draw(Optional<String> trouble) throws InterruptedException {
        if (progress.isEmpty()) {
            return;
        }
        String text;
        try {
            text = figures(progress.get());
        } catch (IOException | StackException e) {
            text = "a part does not answer: ./sallyport status tells which";
        }
        out.print(CLEAR + trouble.map(reason -> "fleet: " + reason + " · ").orElse("") + text);
        out.flush();
    }

    private String figures(NormalizerProgress normalizer) throws IOException, InterruptedException {
        var gateway = MetricsPage.of(http, endpoints.management(Endpoints.SESSION_SERVICE));
        var structuring = MetricsPage.of(http, endpoints.management(Endpoints.NORMALIZER_SERVICE));
        double structured = structuring.sum(STRUCTURED);
        long now = System.nanoTime();
        // A service that was restarted counts from zero again.
        double perS = lastStructured < 0 || structured < lastStructured
                ? 0
                : (structured - lastStructured) * 1e9 / (now - lastNanos);
        lastStructured = structured;
        lastNanos = now;
        return "%.0f events/s · acked %.0f · structured %.0f · lag %d · markers %.0f"
                .formatted(perS, gateway.sum(ACKED), structured, normalizer.lag(), structuring.sum(MARKERS));
    }

    @Override
    public void close() {
        if (progress.isPresent()) {
            out.println();
            progress.get().close();
        }
    }
}
