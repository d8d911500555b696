package io.sallyport.session.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.http.HttpCustomers;
import io.sallyport.session.kafka.ControlProducer;
import io.sallyport.session.kafka.KafkaCommandLink;
import io.sallyport.session.kafka.KafkaControlData;
import io.sallyport.session.kafka.KafkaEpochAuthority;
import io.sallyport.session.streams.EpochAuthorityStreams;
import io.sallyport.session.streams.EpochMeters;
import io.sallyport.tracing.CommandTraces;
import io.sallyport.tracing.TracingKeys;
import java.net.URI;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;

/** Wires what a node knows and says through Kafka's control topics, and the epoch authority where it runs here. */
@Configuration(proxyBeanMethods = false)
public class ControlPlaneConfiguration {

    @Bean(destroyMethod = "")
    ControlProducer controlProducer(SessionProperties properties, MeterRegistry meters) {
        return new ControlProducer(
                properties.bootstrapServers(),
                properties.node(),
                List.of(Topics.EPOCH_CLAIMS, Topics.COMMAND_RESULTS, Topics.ENDPOINT_METADATA, Topics.NODE_STATS),
                meters);
    }

    @Bean(destroyMethod = "")
    KafkaEpochAuthority epochAuthority(SessionProperties properties, ControlProducer producer, MeterRegistry meters) {
        return new KafkaEpochAuthority(
                properties.bootstrapServers(),
                properties.node(),
                properties.sizing().topics(),
                producer,
                meters);
    }

    @Bean(destroyMethod = "")
    KafkaControlData controlData(SessionProperties properties) {
        return new KafkaControlData(properties.bootstrapServers(), properties.node());
    }

    /** Comes before the topics alone, where a registry is configured. */
    @Bean(destroyMethod = "")
    @Primary
    ControlData customerControlData(SessionProperties properties, KafkaControlData topics) {
        SessionProperties.Customers customers = properties.customers();
        if (customers.registry().isEmpty()) {
            return topics;
        }
        var registry = new HttpCustomers(new HttpCustomers.Settings(
                URI.create(customers.registry()), customers.refresh(), customers.timeout(), customers.maxCustomers()));
        return new RegistryControlData(registry, topics);
    }

    @Bean
    CommandTraces commandTraces(Environment environment, SessionProperties properties) {
        return new CommandTraces(TracingKeys.read(environment), "session-service", properties.node());
    }

    @Bean(destroyMethod = "")
    KafkaCommandLink commandLink(SessionProperties properties, ControlProducer producer, CommandTraces traces) {
        return new KafkaCommandLink(
                properties.bootstrapServers(),
                properties.node(),
                properties.sizing().topics(),
                producer,
                traces);
    }

    @Bean
    ControlPlaneLifecycle controlPlaneLifecycle(
            ControlProducer producer, KafkaControlData data, KafkaEpochAuthority authority, KafkaCommandLink commands) {
        return new ControlPlaneLifecycle(producer, data, authority, commands);
    }

    @Bean(destroyMethod = "")
    @ConditionalOnProperty(prefix = "sallyport.session", name = "authority-enabled", matchIfMissing = true)
    RunningTopology epochAuthorityTopology(SessionProperties properties, MeterRegistry meters) {
        return EpochAuthorityStreams.of(
                EpochAuthorityStreams.member(
                        properties.bootstrapServers(),
                        properties.node(),
                        properties.stateDir().resolve("epoch-authority"),
                        properties.rack(),
                        properties.sizing().topics()),
                new EpochMeters(meters));
    }

    @Bean
    @ConditionalOnProperty(prefix = "sallyport.session", name = "authority-enabled", matchIfMissing = true)
    AuthorityLifecycle authorityLifecycle(RunningTopology authority) {
        return new AuthorityLifecycle(authority);
    }
}
