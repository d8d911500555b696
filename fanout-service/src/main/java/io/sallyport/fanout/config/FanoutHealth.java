package io.sallyport.fanout.config;

import io.sallyport.edge.read.TopicTail;
import io.sallyport.edge.streams.RunningTopology;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Ready while requests are decided and what becomes of them is read. */
final class FanoutHealth implements HealthIndicator {
    private final Tails tails;
    private final RunningTopology decider;

    FanoutHealth(Tails tails, RunningTopology decider) {
        this.tails = tails;
        this.decider = decider;
    }

    @Override
    public Health health() {
        boolean reading = tails.all().stream().allMatch(TopicTail::isHealthy);
        var health = reading && decider.isRunning() ? Health.up() : Health.down();
        return health.withDetail("decider", decider.state())
                .withDetail("reading", reading)
                .build();
    }
}
