package io.sallyport.normalizer.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.generation.LoggedPredecessors;
import io.sallyport.normalizer.generation.RunningGenerations;
import io.sallyport.normalizer.kafka.EventTypeRegistry;
import io.sallyport.normalizer.kafka.GroupLag;
import io.sallyport.normalizer.kafka.RawLag;
import io.sallyport.normalizer.metrics.AlertKind;
import io.sallyport.normalizer.metrics.GroupMeters;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import io.sallyport.normalizer.streams.Decider;
import io.sallyport.normalizer.streams.NormalizerStreams;
import io.sallyport.normalizer.streams.StreamsSettings;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The wiring of the service. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(NormalizerProperties.class)
class NormalizerConfiguration {
    private static final long GROUP_LOOK_MS = 15_000;

    @Bean
    NormalizerMetrics normalizerMetrics(MeterRegistry registry) {
        return new NormalizerMetrics(registry, new Alerts(registry, AlertKind.values()));
    }

    @Bean(destroyMethod = "") // closed by the lifecycle, in its order
    EventTypeRegistry eventTypeRegistry(NormalizerProperties properties) {
        return new EventTypeRegistry(properties.bootstrapServers());
    }

    @Bean(destroyMethod = "")
    RunningGenerations runningGenerations(
            NormalizerProperties properties,
            EventTypeRegistry registry,
            NormalizerMetrics metrics,
            ApplicationContext context) {
        var settings = new StreamsSettings(
                properties.bootstrapServers(),
                properties.cell(),
                properties.stateDir(),
                new StreamsSettings.Instance(properties.instanceId(), properties.rack(), (int)
                        properties.sessionTimeout().toMillis()),
                properties.streamThreads(),
                properties.commitInterval().toMillis(),
                properties.snapshotInterval().toMillis(),
                properties.sizing().topics());
        var deciders = Decider.dedupe(properties.limits(), registry);
        var predecessors = new LoggedPredecessors(properties.bootstrapServers());
        return new RunningGenerations(
                properties.bootstrapServers(),
                (incarnation, onGivingUp) ->
                        new NormalizerStreams(settings, incarnation, deciders, predecessors, metrics, onGivingUp),
                () -> AvailabilityChangeEvent.publish(context, LivenessState.BROKEN));
    }

    @Bean(destroyMethod = "")
    RawLag rawLag(NormalizerProperties properties, NormalizerMetrics metrics) {
        return new RawLag(
                properties.bootstrapServers(),
                metrics,
                Topics.RAW.partitions(properties.sizing().topics()));
    }

    /** Whose consumers are late is known within half a minute, of retentions that are hours and days. */
    @Bean(initMethod = "start", destroyMethod = "close")
    GroupLag groupLag(NormalizerProperties properties, NormalizerMetrics metrics, MeterRegistry registry) {
        return new GroupLag(
                properties.bootstrapServers(),
                properties.sizing().topics(),
                new GroupMeters(registry, metrics.alerts()),
                GROUP_LOOK_MS);
    }

    @Bean
    NormalizerLifecycle normalizerLifecycle(
            NormalizerProperties properties, EventTypeRegistry registry, RunningGenerations generations, RawLag lag) {
        return new NormalizerLifecycle(
                properties.bootstrapServers(), properties.sizing().topics(), registry, generations, lag);
    }

    @Bean
    NormalizerHealth normalizerHealthIndicator(RunningGenerations generations, EventTypeRegistry registry) {
        return new NormalizerHealth(generations, registry);
    }
}
