package io.sallyport.router.config;

import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.router.kafka.KafkaBodies;
import io.sallyport.router.kafka.KafkaControl;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while commands are routed. */
final class RouterHealth implements HealthIndicator {
    private final RunningTopology streams;
    private final KafkaControl control;
    private final KafkaBodies bodies;

    RouterHealth(RunningTopology streams, KafkaControl control, KafkaBodies bodies) {
        this.streams = streams;
        this.control = control;
        this.bodies = bodies;
    }

    @Override
    public Health health() {
        boolean serving = streams.isRunning() && control.isLoaded();
        return (serving ? Health.up() : Health.down())
                .withDetail("streams", streams.state())
                .withDetail("controlData", control.isLoaded())
                .withDetail("bodiesCaughtUp", bodies.isCaughtUp())
                .build();
    }
}
