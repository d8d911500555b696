package io.sallyport.export.config;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while rows come to files. */
final class ExportHealth implements HealthIndicator {
    private final ExportWorkers workers;

    ExportHealth(ExportWorkers workers) {
        this.workers = workers;
    }

    @Override
    public Health health() {
        return (workers.isServing() ? Health.up() : Health.down())
                .withDetail("workersAlive", !workers.isBroken())
                .build();
    }
}
