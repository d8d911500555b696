package io.sallyport.router.streams;

import java.time.Duration;
import java.util.function.LongConsumer;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.jspecify.annotations.Nullable;

/**
 * Calls a task back once, when it has asked to be. A timer that goes on and on would not do: after each call Kafka
 * Streams commits a transaction, whether anything was done in it or not, and a record that comes meanwhile waits for that.
 */
final class Alarm {
    private final ProcessorContext<?, ?> context;
    private final LongConsumer ring;
    private @Nullable Cancellable set;
    private long atMs = Long.MAX_VALUE;

    /** @param ring gets the wall clock, ms; may set the alarm again */
    Alarm(ProcessorContext<?, ?> context, LongConsumer ring) {
        this.context = context;
        this.ring = ring;
    }

    /** Rings then, or earlier where it is set already; {@link Long#MAX_VALUE} stands for never. */
    void at(long wantedMs) {
        if (wantedMs < atMs) {
            cancel();
            atMs = wantedMs;
            long inMs = Math.max(1, wantedMs - context.currentSystemTimeMs());
            set = context.schedule(Duration.ofMillis(inMs), PunctuationType.WALL_CLOCK_TIME, nowMs -> {
                cancel();
                ring.accept(nowMs);
            });
        }
    }

    private void cancel() {
        if (set != null) {
            set.cancel();
            set = null;
            atMs = Long.MAX_VALUE;
        }
    }
}
