package io.sallyport.fanout.config;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.fanout.core.Freshness;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.TargetResolver;
import io.sallyport.fanout.grpc.GrpcFailureMapper;
import io.sallyport.fanout.grpc.PublishingGrpcService;
import io.sallyport.fanout.kafka.ControlSink;
import io.sallyport.fanout.kafka.LogProducer;
import io.sallyport.fanout.kafka.TailFreshness;
import io.sallyport.fanout.publishing.DecisionWaiters;
import io.sallyport.fanout.publishing.FreshReads;
import io.sallyport.fanout.publishing.MessageDesk;
import io.sallyport.fanout.publishing.MessageDesk.ControlView;
import io.sallyport.fanout.publishing.Refusals;
import io.sallyport.fanout.publishing.RequestRoute;
import io.sallyport.fanout.publishing.SegmentDesk;
import io.sallyport.fanout.publishing.SensorDesk;
import io.sallyport.fanout.publishing.StatusDesk;
import io.sallyport.fanout.publishing.Tenancy;
import io.sallyport.fanout.selector.AntlrSelectorParser;
import io.sallyport.fanout.status.SegmentTable;
import io.sallyport.fanout.status.StatusStore;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** The desks, and both edges in front of them. */
@Configuration(proxyBeanMethods = false)
class EdgeConfiguration {

    @Bean
    Tenancy tenancy(ControlSink control, Alerts alerts) {
        return new Tenancy(control, alerts);
    }

    @Bean
    Refusals refusals(MeterRegistry meters) {
        return new Refusals(meters);
    }

    @Bean
    ControlView controlView(
            FanoutProperties properties,
            ControlSink control,
            TargetResolver resolver,
            Freshness freshness,
            Clock clock) {
        return new ControlView(
                control,
                new AntlrSelectorParser(),
                resolver,
                new FreshReads(freshness, properties.requests().maxLooksPerCustomer()),
                clock);
    }

    @Bean
    RequestRoute requestRoute(FanoutProperties properties, LogProducer log, DecisionWaiters waiters, Clock clock) {
        return new RequestRoute(log, waiters, clock, properties.requests().decisionTimeout());
    }

    @Bean
    MessageDesk messageDesk(FanoutProperties properties, Tenancy tenancy, ControlView view, RequestRoute route) {
        return new MessageDesk(properties.limits().toFanoutLimits(), tenancy, view, route);
    }

    @Bean
    StatusDesk statusDesk(
            FanoutProperties properties,
            Tenancy tenancy,
            StatusStore store,
            ControlSink control,
            Tails tails,
            Alerts alerts) {
        return new StatusDesk(
                tenancy,
                store,
                control,
                new FreshReads(
                        new TailFreshness(tails.reading(), properties.requests().catchUpTimeout()),
                        properties.requests().maxLooksPerCustomer()),
                alerts);
    }

    @Bean
    SensorDesk sensorDesk(Tenancy tenancy, ControlView view, MetadataIndex index, LogProducer log) {
        return new SensorDesk(tenancy, view, index, log);
    }

    @Bean
    SegmentDesk segmentDesk(
            FanoutProperties properties,
            Tenancy tenancy,
            ControlView view,
            MetadataIndex index,
            StatusStore store,
            LogProducer log) {
        return new SegmentDesk(
                tenancy,
                view,
                index,
                new SegmentTable(store),
                new SegmentDesk.SegmentLog(
                        log, properties.node(), properties.requests().decisionTimeout()));
    }

    @Bean
    PublishingGrpcService publishingGrpcService(
            MessageDesk messages, StatusDesk status, SensorDesk sensors, SegmentDesk segments, Refusals refusals) {
        return new PublishingGrpcService(messages, status, sensors, segments, refusals);
    }

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    GrpcFailureMapper grpcFailureMapper(Refusals refusals) {
        return new GrpcFailureMapper(refusals);
    }
}
