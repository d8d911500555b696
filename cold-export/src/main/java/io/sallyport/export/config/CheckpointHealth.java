package io.sallyport.export.config;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Down where nothing is signed any more: a person has to look. */
final class CheckpointHealth implements HealthIndicator {
    private final PublishedCheckpoints published;

    CheckpointHealth(PublishedCheckpoints published) {
        this.published = published;
    }

    @Override
    public Health health() {
        var health = published.trouble().isEmpty() ? Health.up() : Health.down();
        published.trouble().ifPresent(why -> health.withDetail("trouble", why));
        published
                .latest()
                .ifPresent(latest ->
                        health.withDetail("segments", latest.checkpoint().size()));
        return health.build();
    }
}
