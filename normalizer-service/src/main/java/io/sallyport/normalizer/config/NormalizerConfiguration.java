package io.sallyport.normalizer.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.Limits;
import io.sallyport.normalizer.kafka.EventTypeRegistry;
import io.sallyport.normalizer.kafka.GroupLag;
import io.sallyport.normalizer.kafka.RawLag;
import io.sallyport.normalizer.metrics.Alerts;
import io.sallyport.normalizer.metrics.GroupMeters;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
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
    /** Key, fields other than the payload, and the record's own framing. */
    private static final int EVENT_OVERHEAD_BYTES = 4 << 10;
    /** Stamp, ranges, detail and framing of a quarantine record; the rest is left to the original bytes. */
    private static final int QUARANTINE_OVERHEAD_BYTES = 64 << 10;

    @Bean
    NormalizerMetrics normalizerMetrics(MeterRegistry registry) {
        return new NormalizerMetrics(registry, new Alerts(registry));
    }

    @Bean(destroyMethod = "") // closed by the lifecycle, in its order
    EventTypeRegistry eventTypeRegistry(NormalizerProperties properties) {
        return new EventTypeRegistry(properties.bootstrapServers());
    }

    @Bean(destroyMethod = "")
    NormalizerStreams normalizerStreams(
            NormalizerProperties properties,
            EventTypeRegistry registry,
            NormalizerMetrics metrics,
            ApplicationContext context) {
        var settings = new StreamsSettings(
                properties.bootstrapServers(),
                properties.cell(),
                properties.stateDir(),
                new StreamsSettings.Instance(properties.instanceId(), properties.rack()),
                properties.streamThreads(),
                properties.commitInterval().toMillis(),
                properties.sizing().topics());
        return new NormalizerStreams(
                settings,
                limits(properties),
                registry,
                metrics,
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
            NormalizerProperties properties, EventTypeRegistry registry, NormalizerStreams streams, RawLag lag) {
        return new NormalizerLifecycle(
                properties.bootstrapServers(), properties.sizing().topics(), registry, streams, lag);
    }

    @Bean
    NormalizerHealth normalizerHealthIndicator(NormalizerStreams streams, EventTypeRegistry registry) {
        return new NormalizerHealth(streams, registry);
    }

    private static Limits limits(NormalizerProperties properties) {
        return new Limits(
                properties.gapGrace().toMillis(),
                properties.gapGraceMax().toMillis(),
                properties.maxRanges(),
                properties.declaredRanges(),
                Topics.STRUCTURED.maxMessageBytes() - EVENT_OVERHEAD_BYTES,
                Topics.QUARANTINE.maxMessageBytes() - QUARANTINE_OVERHEAD_BYTES);
    }
}
