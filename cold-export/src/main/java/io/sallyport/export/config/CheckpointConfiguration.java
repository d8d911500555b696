package io.sallyport.export.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.export.checkpoint.SigningKey;
import io.sallyport.export.checkpoint.kafka.CheckpointCoordinator;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The signing of checkpoints, where there is a key. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("sallyport.export.checkpoint.key-file")
class CheckpointConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointConfiguration.class);

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
        SigningKey key = SigningKey.read(properties.cell(), keyFile);
        // Whoever verifies needs it, from a place that is not the log itself.
        LOG.info("checkpoints are signed by {}", key.note());
        var settings = new CheckpointCoordinator.Settings(
                key, properties.checkpoint().interval(), properties.checkpoint().idleInterval());
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
