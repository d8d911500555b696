package io.sallyport.edge.streams;

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
public final class Alarm {
    /** What is cancelled stays in Streams' queue until its time: so none is set for days ahead. */
    private static final long FARTHEST_MS = 60_000;

    private final ProcessorContext<?, ?> context;
    private final LongConsumer ring;
    private @Nullable Cancellable set;
    private long atMs = Long.MAX_VALUE;

    /** @param ring gets the wall clock, ms; may set the alarm again */
    public Alarm(ProcessorContext<?, ?> context, LongConsumer ring) {
        this.context = context;
        this.ring = ring;
    }

    /** Rings then or earlier: where it is set already, or a minute from now. {@link Long#MAX_VALUE} stands for never. */
    public void at(long wantedMs) {
        if (wantedMs < atMs) {
            cancel();
            long nowMs = context.currentSystemTimeMs();
            atMs = Math.min(wantedMs, nowMs + FARTHEST_MS);
            long inMs = Math.max(1, atMs - nowMs);
            set = context.schedule(Duration.ofMillis(inMs), PunctuationType.WALL_CLOCK_TIME, ringMs -> {
                cancel();
                ring.accept(ringMs);
            });
        }
    }

    /**
     * Never rings any more, until it is set again. A task that comes back to life after an aborted transaction keeps what its
     * last life had scheduled.
     */
    public void cancel() {
        if (set != null) {
            set.cancel();
            set = null;
            atMs = Long.MAX_VALUE;
        }
    }
}
