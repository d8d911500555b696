package io.sallyport.session.netty;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.core.AlertKind;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.CustomerTerms;
import io.sallyport.session.core.DailyUsage;
import io.sallyport.session.core.Now;
import io.sallyport.session.core.Refusal;
import io.sallyport.session.core.TenantFlow;
import io.sallyport.session.metrics.GatewayMetrics;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Holds customers to this node's share of their rates, and to their daily quotas; both may change at any time. */
final class CustomerQuotas {
    /** Also the longest that a sensor stays away after its quota was raised. */
    private static final int MAX_RETRY_MS = 300_000;

    private final FlowLimits limits;
    private final LinkLimits link;
    private final ControlData control;
    private final GatewayMetrics metrics;
    /** Only of customers that exist, so their number is bounded. */
    private final Map<String, TenantFlow> flows = new ConcurrentHashMap<>();
    /** The last day on which a customer was found to be over its quota. */
    private final Map<String, Integer> alerted = new ConcurrentHashMap<>();

    CustomerQuotas(FlowLimits limits, LinkLimits link, ControlData control, GatewayMetrics metrics) {
        this.limits = limits;
        this.link = link;
        this.control = control;
        this.metrics = metrics;
    }

    /**
     * A sensor connected. The node's share counts it at once, and does not wait for the next {@link #renew}: what a
     * thousand sensors send in their first second is not measured by the share of one.
     */
    TenantFlow.Share join(SensorKey sensor, Now now) {
        String customerId = sensor.customerId();
        TenantFlow flow = flows.computeIfAbsent(customerId, customer -> {
            var first = new TenantFlow(rate(customer, 1, now), link, nanos(now));
            control.demand().measure(customer, first);
            return first;
        });
        TenantFlow.Share joined = flow.join(sensor.sensorId(), nanos(now));
        flow.changeRate(rate(customerId, flow.sensors(), now), nanos(now));
        return joined;
    }

    private static long nanos(Now now) {
        return TimeUnit.MILLISECONDS.toNanos(now.monotonicMs());
    }

    DailyUsage.Counter usage(String customerId) {
        return control.usage().counter(customerId);
    }

    /** Applies what the records say and what was used by now; to be called about every second. */
    void renew(Now now) {
        flows.forEach((customer, flow) -> {
            flow.changeRate(rate(customer, flow.sensors(), now), nanos(now));
            flow.forgetIdle(nanos(now));
            alert(customer, now);
        });
    }

    /** Why a sensor of the customer may have no session today; empty where it may. */
    Optional<Refusal> refusal(String customerId, Now now) {
        CustomerTerms terms = control.terms(customerId);
        if (!terms.refusedOverQuota() || !terms.isOverQuota(used(customerId, now))) {
            return Optional.empty();
        }
        return Optional.of(Refusal.retry(RejectCode.QUOTA_EXCEEDED, "the customer's quota of today is used up", (int)
                Math.min(MAX_RETRY_MS, DailyUsage.restOfDayMs(now.wallMs()))));
    }

    private void alert(String customerId, Now now) {
        CustomerTerms terms = control.terms(customerId);
        int today = DailyUsage.dayOf(now.wallMs());
        if (terms.isOverQuota(used(customerId, now))
                && !Integer.valueOf(today).equals(alerted.put(customerId, today))) {
            metrics.alert(
                    AlertKind.QUOTA_REACHED,
                    customerId,
                    terms.bytesPerDay() + " bytes a day are used up, "
                            + (terms.refusedOverQuota() ? "refused" : "slowed") + " until midnight UTC");
        }
    }

    /** This node's share of what the customer may bring in. */
    private TenantFlow.Rate rate(String customerId, int sensors, Now now) {
        TenantFlow.Rate cell =
                control.terms(customerId).rate(limits.usual(), limits.floorBytesPerSecond(), used(customerId, now));
        return cell.times(control.demand().share(customerId, sensors, cell, now.monotonicMs()));
    }

    private long used(String customerId, Now now) {
        return control.usage().total(customerId, DailyUsage.dayOf(now.wallMs()));
    }
}
