package io.sallyport.normalizer.streams;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.normalizer.core.Decision;
import io.sallyport.normalizer.core.Dedupe;
import io.sallyport.normalizer.core.Limits;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.core.SensorStore;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/** Decides raw records; one for each task, and used by one thread. What it leaves open is closed with the task. */
public interface Decider extends AutoCloseable {
    /** @param stores gives access to what is stored of a sensor */
    Decision decide(RawRecord raw, Function<SensorKey, SensorStore> stores);

    @Override
    void close();

    /**
     * What a normalizer decides with.
     *
     * @param registered whether an event type may stand in a batch; may block to make sure
     */
    static Supplier<Decider> dedupe(Limits limits, IntPredicate registered) {
        return () -> {
            var dedupe = new Dedupe(limits, registered);
            return new Decider() {
                @Override
                public Decision decide(RawRecord raw, Function<SensorKey, SensorStore> stores) {
                    return dedupe.decide(raw, stores);
                }

                @Override
                public void close() {
                    dedupe.close();
                }
            };
        };
    }
}
