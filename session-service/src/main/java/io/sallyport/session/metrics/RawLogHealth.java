package io.sallyport.session.metrics;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether this node can take telemetry: the raw log answers, appends do not fail, and the control data is there. It
 * comes back by itself.
 */
public final class RawLogHealth implements HealthIndicator {
    private final Supplier<String> trouble;
    private final BooleanSupplier appendsFail;
    private final BooleanSupplier controlDataLoaded;

    /** @param trouble what keeps the log from being reached; empty = nothing */
    public RawLogHealth(Supplier<String> trouble, BooleanSupplier appendsFail, BooleanSupplier controlDataLoaded) {
        this.trouble = trouble;
        this.appendsFail = appendsFail;
        this.controlDataLoaded = controlDataLoaded;
    }

    @Override
    public Health health() {
        String log = trouble.get();
        if (!log.isEmpty()) {
            return down("log", log);
        }
        if (appendsFail.getAsBoolean()) {
            return down("log", "appends fail");
        }
        return controlDataLoaded.getAsBoolean() ? Health.up().build() : down("controlData", "not loaded yet");
    }

    private static Health down(String part, String why) {
        return Health.down().withDetail(part, why).build();
    }
}
