package io.sallyport.fanout.publishing;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.AuditTrail;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.Publisher;
import io.sallyport.fanout.core.SensorSet;
import io.sallyport.fanout.core.SensorView;
import io.sallyport.fanout.kafka.LogProducer;
import io.sallyport.fanout.publishing.MessageDesk.ControlView;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The sensors of a customer: what is known of them, and making one known before its first start. */
public final class SensorDesk {
    private final Tenancy tenancy;
    private final ControlView control;
    private final MetadataIndex index;
    private final LogProducer log;

    /** @param count of all that match, not of the page */
    public record SensorPage(String customerId, int count, List<SensorView> sensors, String nextPageToken) {}

    public SensorDesk(Tenancy tenancy, ControlView control, MetadataIndex index, LogProducer log) {
        this.tenancy = tenancy;
        this.control = control;
        this.index = index;
        this.log = log;
    }

    /** @param selector empty: every known sensor. A selector that is there and blank is refused */
    public Answer<SensorPage> list(
            Publisher publisher, String customerId, Optional<String> selector, int pageSize, String pageToken) {
        return tenancy.customer(publisher, customerId, Publisher.SCOPE_READ)
                .then(customer -> Page.of(pageSize, pageToken)
                        .then(page -> matching(customer, selector).map(sensors -> {
                            List<String> ids = page.after().isEmpty()
                                    ? sensors.range(0, page.size())
                                    : sensors.after(page.after(), page.size());
                            boolean more = !ids.isEmpty()
                                    && !sensors.after(ids.get(ids.size() - 1), 1)
                                            .isEmpty();
                            return new SensorPage(
                                    customer,
                                    sensors.size(),
                                    index.views(customer, ids, control.nowUs()),
                                    more ? Page.token(ids.get(ids.size() - 1)) : "");
                        })));
    }

    private Answer<SensorSet> matching(String customer, Optional<String> selector) {
        return selector.map(text -> control.fresh()
                        .again(
                                customer,
                                () -> control.parser()
                                        .parse(text)
                                        .then(parsed -> index.select(customer, parsed, control.nowUs()))))
                .orElseGet(() -> Answer.of(index.fleet(customer)));
    }

    /** Repeating it changes nothing, nor does it for a sensor that has started before. */
    public CompletableFuture<Answer<SensorKey>> register(Publisher publisher, String customerId, String sensorId) {
        Answer<SensorKey> sensor = tenancy.customer(publisher, customerId, Publisher.SCOPE_PUBLISH)
                .then(customer -> SensorKey.of(customer, sensorId)
                        .map(Answer::of)
                        .orElseGet(
                                () -> Answer.refused(ErrorCode.BAD_SENSOR_ID.because("sensor_id breaks the syntax"))));
        if (!(sensor instanceof Answer.Given<SensorKey> given)
                || index.knows(given.value().customerId(), sensorId)) {
            return CompletableFuture.completedFuture(sensor);
        }
        SensorKey unknown = given.value();
        return log.audit(AuditTrail.changed(
                        publisher, "sensor.register", unknown.customerId(), sensorId, 1, control.nowUs()))
                // Not on the producer's own thread: a topic that it does not know yet would never be looked up.
                .thenComposeAsync(traced -> log.register(unknown, control.nowUs()))
                .handle((done, failure) -> {
                    if (failure != null) {
                        return Answer.refused(
                                ErrorCode.LOG_UNAVAILABLE.because("the log did not take the registration"));
                    }
                    return sensor;
                });
    }
}
