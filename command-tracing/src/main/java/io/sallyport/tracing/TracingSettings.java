package io.sallyport.tracing;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where traces go, and of how many messages.
 *
 * @param endpoint of a collector that takes OTLP over HTTP, for example {@code http://collector:4318/v1/traces}; absent
 *     = no traces
 * @param share of the messages that are traced, 0 to 1; which ones follows from their ids, so every service agrees
 */
public record TracingSettings(
        @Nullable URI endpoint, @DefaultValue("0.01") double share) {
    public static final TracingSettings OFF = new TracingSettings(null, 0);

    public TracingSettings {
        if (endpoint != null && !"http".equals(endpoint.getScheme()) && !"https".equals(endpoint.getScheme())) {
            throw new IllegalArgumentException("tracing.endpoint must be an http or https address");
        }
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("tracing.share must be 0 to 1");
        }
    }

    boolean isOn() {
        return endpoint != null;
    }
}
