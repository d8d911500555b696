package io.sallyport.normalizer.config;

import io.sallyport.normalizer.kafka.EventTypeRegistry;
import io.sallyport.normalizer.streams.NormalizerStreams;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while records are handled, or will be without anybody's help, and the event types are known. */
final class NormalizerHealth implements HealthIndicator {
    private final NormalizerStreams streams;
    private final EventTypeRegistry registry;

    NormalizerHealth(NormalizerStreams streams, EventTypeRegistry registry) {
        this.streams = streams;
        this.registry = registry;
    }

    @Override
    public Health health() {
        boolean up = streams.isServing() && registry.isLoaded();
        return (up ? Health.up() : Health.down())
                .withDetail("streams", streams.state())
                .withDetail("eventTypesLoaded", registry.isLoaded())
                .build();
    }
}
