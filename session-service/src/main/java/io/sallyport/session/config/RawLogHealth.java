package io.sallyport.session.config;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether this node can take telemetry: the raw log answers, appends do not fail, what waits in it is known, and the
 * control data is there. It comes back by itself. Shards that hold leave the node ready and are named: no other node
 * could take their telemetry either, and messages still go out through this one.
 */
final class RawLogHealth implements HealthIndicator {
    private final Supplier<String> trouble;
    private final BooleanSupplier appendsFail;
    private final BooleanSupplier controlDataLoaded;
    private final Supplier<List<Integer>> heldShards;

    /**
     * @param trouble what keeps the log from being used; empty = nothing
     * @param heldShards those of which nothing is acknowledged now
     */
    RawLogHealth(
            Supplier<String> trouble,
            BooleanSupplier appendsFail,
            BooleanSupplier controlDataLoaded,
            Supplier<List<Integer>> heldShards) {
        this.trouble = trouble;
        this.appendsFail = appendsFail;
        this.controlDataLoaded = controlDataLoaded;
        this.heldShards = heldShards;
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
        if (!controlDataLoaded.getAsBoolean()) {
            return down("controlData", "not loaded yet");
        }
        List<Integer> held = heldShards.get();
        return held.isEmpty()
                ? Health.up().build()
                : Health.up().withDetail("heldShards", held).build();
    }

    private static Health down(String part, String why) {
        return Health.down().withDetail(part, why).build();
    }
}
