package io.sallyport.router.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.edge.streams.StreamsMember;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.router.kafka.KafkaBodies;
import io.sallyport.router.kafka.KafkaControl;
import io.sallyport.router.metrics.RouterMeters;
import io.sallyport.router.rocksdb.RocksBodyStore;
import io.sallyport.router.streams.RouterStreams;
import io.sallyport.router.streams.RouterTopology;
import io.sallyport.topics.TopicAdmin;
import io.sallyport.tracing.CommandTraces;
import io.sallyport.tracing.TracingKeys;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** What the router consists of. */
@Configuration(proxyBeanMethods = false)
class RouterConfiguration {
    /** Every topic that the router reads or writes. */
    static final List<TopicSpec<?>> TOPICS = List.of(
            Topics.SENSOR_QUEUE,
            Topics.SESSIONS,
            Topics.COMMAND_RESULTS,
            Topics.MESSAGE_BODIES,
            Topics.MESSAGE_TYPES,
            Topics.NODE_STATS,
            Topics.SESSION_PUSH,
            Topics.MESSAGE_STATUS,
            Topics.TARGET_STATUS,
            Topics.COVERAGE);

    private static final Duration KEEP_BODIES = Topics.MAX_TTL.plusDays(2);

    @Bean
    RouterMeters routerMeters(MeterRegistry registry) {
        return new RouterMeters(registry);
    }

    @Bean
    CommandTraces commandTraces(Environment environment, RouterProperties properties) {
        return new CommandTraces(TracingKeys.read(environment), "command-router", properties.instance());
    }

    @Bean
    RocksBodyStore routerBodyStore(RouterProperties properties) {
        return new RocksBodyStore(properties.stateDir().resolve("bodies"), KEEP_BODIES);
    }

    @Bean
    KafkaBodies routerBodies(RouterProperties properties, RocksBodyStore store, RouterMeters meters) {
        return new KafkaBodies(properties.bootstrapServers(), store, meters);
    }

    @Bean
    KafkaControl routerControl(RouterProperties properties, RouterMeters meters) {
        return new KafkaControl(
                properties.bootstrapServers(), properties.nodeTimeout(), meters, System::currentTimeMillis);
    }

    @Bean
    RunningTopology routerStreams(
            RouterProperties properties,
            KafkaBodies bodies,
            KafkaControl control,
            RouterMeters meters,
            CommandTraces traces,
            ApplicationContext context) {
        var member = new StreamsMember(
                properties.bootstrapServers(),
                Integer.toString(properties.instance()),
                properties.stateDir(),
                properties.rack(),
                properties.streams().threads(),
                properties.streams().commitInterval().toMillis(),
                properties.sizing().topics());
        return RouterStreams.of(
                member,
                new RouterTopology.Parts(properties.queue().toLimits(), bodies, control, meters, traces),
                () -> AvailabilityChangeEvent.publish(context, LivenessState.BROKEN));
    }

    @Bean
    RouterStart routerStart(
            RouterProperties properties, KafkaControl control, KafkaBodies bodies, RunningTopology streams) {
        return new RouterStart(
                () -> {
                    try (var topics = new TopicAdmin(
                            properties.bootstrapServers(), properties.sizing().topics())) {
                        topics.check(TOPICS);
                    }
                },
                control,
                bodies,
                streams);
    }

    @Bean
    RouterHealth routerHealthIndicator(RunningTopology streams, KafkaControl control, KafkaBodies bodies) {
        return new RouterHealth(streams, control, bodies);
    }
}
