package io.sallyport.normalizer.config;

import io.sallyport.normalizer.generation.RunningGenerations;
import io.sallyport.normalizer.kafka.EventTypeRegistry;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while every partition of this instance is handled, and so not while state is restored, and the event types are known. */
final class NormalizerHealth implements HealthIndicator {
    private final RunningGenerations generations;
    private final EventTypeRegistry registry;

    NormalizerHealth(RunningGenerations generations, EventTypeRegistry registry) {
        this.generations = generations;
        this.registry = registry;
    }

    @Override
    public Health health() {
        boolean up = generations.isServing() && registry.isLoaded();
        return (up ? Health.up() : Health.down())
                .withDetail("streams", generations.state())
                .withDetail("generation", Integer.toUnsignedString(generations.live()))
                .withDetail("eventTypesLoaded", registry.isLoaded())
                .build();
    }
}
