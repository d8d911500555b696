package io.sallyport.export.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.export.checkpoint.SigningKey;
import io.sallyport.export.checkpoint.kafka.CheckpointCoordinator;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The signing of checkpoints, where there is a key. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("sallyport.export.checkpoint.key-file")
class CheckpointConfiguration {
    @Bean
    PublishedCheckpoints publishedCheckpoints(ExportProperties properties, MeterRegistry registry) throws IOException {
        var published = new PublishedCheckpoints(properties.checkpoint().copyDir(), new Alerts(registry));
        // Idle or not, a new one comes within the idle interval: an older one means that nothing is signed.
        registry.gauge("sallyport.checkpoint.age.ms", published, PublishedCheckpoints::ageMs);
        return published;
    }

    @Bean
    CheckpointSigning checkpointSigning(ExportProperties properties, ObjectStore store, PublishedCheckpoints published)
            throws IOException {
        Path keyFile = Objects.requireNonNull(properties.checkpoint().keyFile());
        var settings = new CheckpointCoordinator.Settings(
                SigningKey.read(properties.cell(), keyFile),
                properties.checkpoint().interval(),
                properties.checkpoint().idleInterval());
        var manifests =
                new ManifestHeadWatch(store, properties.sizing().topics().shardsMax());
        return new CheckpointSigning(
                properties,
                () -> new CheckpointCoordinator(properties.bootstrapServers(), settings, manifests, published));
    }

    @Bean
    CheckpointHealth checkpointHealthIndicator(PublishedCheckpoints published) {
        return new CheckpointHealth(published);
    }
}
