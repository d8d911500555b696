package io.sallyport.fanout.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.edge.streams.StreamsMember;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.AlertKind;
import io.sallyport.fanout.core.Decider;
import io.sallyport.fanout.core.Freshness;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.TargetResolver;
import io.sallyport.fanout.kafka.ControlSink;
import io.sallyport.fanout.kafka.LogProducer;
import io.sallyport.fanout.kafka.TailFreshness;
import io.sallyport.fanout.publishing.DecisionWaiters;
import io.sallyport.fanout.selector.AntlrSelectorParser;
import io.sallyport.fanout.status.SegmentTable;
import io.sallyport.fanout.status.StatusStore;
import io.sallyport.fanout.streams.DeciderMeters;
import io.sallyport.fanout.streams.DeciderStreams;
import io.sallyport.topics.TopicAdmin;
import io.sallyport.tracing.CommandTraces;
import io.sallyport.tracing.TracingKeys;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** What a node knows, and how it decides. */
@Configuration(proxyBeanMethods = false)
class FanoutConfiguration {
    /** Every topic that this service reads or writes. */
    static final List<TopicSpec<?>> TOPICS = List.of(
            Topics.INGRESS,
            Topics.MESSAGE_DECISIONS,
            Topics.MESSAGE_BODIES,
            Topics.FANOUT_PLANS,
            Topics.SENSOR_QUEUE,
            Topics.MESSAGE_STATUS,
            Topics.TARGET_STATUS,
            Topics.SEGMENTS,
            Topics.MESSAGE_TYPES,
            Topics.CUSTOMERS,
            Topics.NODE_STATS,
            Topics.ENDPOINT_METADATA,
            Topics.SESSIONS,
            Topics.AUDIT);

    @Bean
    Clock fanoutClock() {
        return Clock.systemUTC();
    }

    @Bean
    Alerts fanoutAlerts(MeterRegistry meters) {
        return new Alerts(meters, AlertKind.values());
    }

    @Bean
    MetadataIndex metadataIndex(MeterRegistry meters) {
        var index = new MetadataIndex();
        meters.gauge("sallyport.fanout.sensors", index, MetadataIndex::size);
        return index;
    }

    @Bean
    ControlSink controlSink(MetadataIndex index, Alerts alerts) {
        return new ControlSink(index, alerts);
    }

    @Bean
    StatusStore statusStore(FanoutProperties properties) throws IOException {
        return new StatusStore(properties.stateDir().resolve("status"));
    }

    @Bean
    DecisionWaiters decisionWaiters(FanoutProperties properties, MeterRegistry meters) {
        var waiters = new DecisionWaiters(
                properties.requests().maxWaiting(), properties.requests().maxWaitingPerCustomer());
        meters.gauge("sallyport.fanout.waiting", waiters, DecisionWaiters::size);
        return waiters;
    }

    @Bean
    Tails tails(
            FanoutProperties properties,
            ControlSink control,
            StatusStore store,
            DecisionWaiters waiters,
            Alerts alerts) {
        return new Tails(properties.bootstrapServers(), control, store, waiters::read, alerts);
    }

    @Bean
    LogProducer logProducer(FanoutProperties properties) {
        return new LogProducer(
                properties.bootstrapServers(),
                properties.sizing().topics(),
                properties.requests().appendTimeout());
    }

    @Bean
    TargetResolver targetResolver(MetadataIndex index, StatusStore store) {
        return new TargetResolver(new AntlrSelectorParser(), index, new SegmentTable(store));
    }

    @Bean
    DeciderMeters deciderMeters(MeterRegistry meters, Alerts alerts, CommandTraces traces) {
        return new DeciderMeters(meters, alerts, traces);
    }

    @Bean
    CommandTraces commandTraces(Environment environment, FanoutProperties properties) {
        return new CommandTraces(TracingKeys.read(environment), "fanout-service", properties.node());
    }

    /** Of what deciding and resolving depend on. */
    @Bean
    Freshness controlFreshness(FanoutProperties properties, Tails tails) {
        return new TailFreshness(tails.deciding(), properties.requests().catchUpTimeout());
    }

    @Bean
    RunningTopology deciderStreams(
            FanoutProperties properties,
            ControlSink control,
            TargetResolver resolver,
            Freshness freshness,
            DeciderMeters meters,
            ApplicationContext context) {
        return DeciderStreams.of(
                new StreamsMember(
                        properties.bootstrapServers(),
                        Integer.toString(properties.node()),
                        properties.stateDir(),
                        properties.rack(),
                        properties.deciderThreads(),
                        DeciderStreams.COMMIT_INTERVAL_MS,
                        properties.sizing().topics()),
                new Decider(properties.limits().toFanoutLimits(), control, resolver),
                freshness,
                meters,
                () -> AvailabilityChangeEvent.publish(context, LivenessState.BROKEN));
    }

    @Bean
    FanoutStart fanoutStart(FanoutProperties properties, Tails tails, RunningTopology decider) {
        return new FanoutStart(
                () -> {
                    try (var topics = new TopicAdmin(
                            properties.bootstrapServers(), properties.sizing().topics())) {
                        topics.check(TOPICS);
                    }
                },
                tails,
                decider);
    }

    @Bean
    FanoutHealth fanoutHealthIndicator(Tails tails, RunningTopology decider) {
        return new FanoutHealth(tails, decider);
    }
}
