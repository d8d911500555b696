package io.sallyport.fanout.publishing;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.fanout.core.Refusal;

/** Counts each refusal once, where it leaves the service. */
public final class Refusals {
    private final MeterRegistry meters;

    public Refusals(MeterRegistry meters) {
        this.meters = meters;
    }

    /** @param edge rest or grpc */
    public void count(String edge, Refusal refusal) {
        meters.counter(
                        "sallyport.fanout.refusals",
                        "edge",
                        edge,
                        "reason",
                        refusal.code().name())
                .increment();
    }
}
