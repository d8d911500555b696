package io.sallyport.session.streams;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.envelope.epoch.EpochAlert;
import io.sallyport.envelope.epoch.ReportEffect;
import io.sallyport.proto.log.v1.ClaimOutcome;

/** What the authority counts. Every tag has a small fixed set of values. */
public final class EpochMeters {
    private final MeterRegistry registry;
    private final Alerts alerts;

    public EpochMeters(MeterRegistry registry) {
        this.registry = registry;
        this.alerts = new Alerts(registry, EpochAlert.values());
    }

    /** @param detail may quote the topic: it is escaped here */
    void alert(EpochAlert alert, String detail) {
        alerts.raise(alert, detail);
    }

    void claim(ClaimOutcome outcome) {
        registry.counter("sallyport.epoch.claims", "outcome", outcome.name()).increment();
    }

    /** Reports that changed nothing of the newest session are told apart: a late disconnect is the usual one. */
    void report(ReportEffect.Standing standing) {
        registry.counter("sallyport.epoch.reports", "standing", standing.name()).increment();
        if (standing == ReportEffect.Standing.STALE_UNREGISTER) {
            registry.counter("sallyport.stale.unregister").increment();
        }
    }

    /** An input that nobody can act on; {@code reason} is a constant. */
    void skipped(String reason) {
        registry.counter("sallyport.epoch.inputs.skipped", "reason", reason).increment();
    }

    /** 1 while this node's authority serves or will again without anybody's help, 0 when it has stopped by itself. */
    void watch(RunningTopology authority) {
        Gauge.builder(
                        "sallyport.epoch.authority.running",
                        authority,
                        running -> running.isRunningOrRebalancing() ? 1 : 0)
                .strongReference(true)
                .register(registry);
    }

    void threadFailed() {
        registry.counter("sallyport.epoch.thread.failures").increment();
    }
}
