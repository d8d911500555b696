package io.sallyport.export.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.export.metrics.AlertKind;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.export.s3.S3Store;
import io.sallyport.export.store.LocalStore;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The wiring of the service. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ExportProperties.class)
class ExportConfiguration {
    @Bean
    ExportMetrics exportMetrics(MeterRegistry registry) {
        return new ExportMetrics(registry, new Alerts(registry, AlertKind.values()));
    }

    @Bean
    ObjectStore objectStore(ExportProperties properties) throws IOException {
        ExportProperties.S3 s3 = properties.s3();
        if (s3.bucket().isEmpty()) {
            return new LocalStore(properties.folder());
        }
        return new S3Store(new S3Store.Location(
                s3.bucket(), s3.prefix(), s3.region(), s3.endpoint(), s3.accessKey(), s3.secretKey()));
    }

    @Bean
    ExportWorkers exportWorkers(
            ExportProperties properties, ObjectStore store, ExportMetrics metrics, ApplicationContext context) {
        return new ExportWorkers(
                properties, store, metrics, () -> AvailabilityChangeEvent.publish(context, LivenessState.BROKEN));
    }

    @Bean
    ExportHealth exportHealthIndicator(ExportWorkers workers) {
        return new ExportHealth(workers);
    }

    @Bean
    ExportEndpoint exportEndpoint(ExportWorkers workers) {
        return new ExportEndpoint(workers);
    }
}
