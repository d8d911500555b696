package io.sallyport.local.stack;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * The metrics of one service at one moment, in the text format of Prometheus.
 *
 * @param text of the page
 */
public record MetricsPage(String text) {
    private static final Duration ANSWER = Duration.ofSeconds(2);

    /** @throws IOException where the service does not answer */
    public static MetricsPage of(HttpClient http, String management) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://" + management + "/actuator/prometheus"))
                .timeout(ANSWER)
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(management + " answers " + answer.statusCode());
        }
        return new MetricsPage(answer.body());
    }

    /** Sum over all series of a metric; 0 where it has none yet. */
    public double sum(String name) {
        return sum(name, "");
    }

    /**
     * Sum over the series of a metric with one label.
     *
     * @param label as it stands on the page, such as {@code customer="acme"}; empty = any
     */
    public double sum(String name, String label) {
        return text.lines()
                .filter(line -> line.startsWith(name)
                        && line.length() > name.length()
                        && (line.charAt(name.length()) == '{' || line.charAt(name.length()) == ' ')
                        && line.contains(label))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
