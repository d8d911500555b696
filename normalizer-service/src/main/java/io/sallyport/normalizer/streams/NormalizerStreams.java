package io.sallyport.normalizer.streams;

import io.sallyport.edge.streams.LogMadeAnewException;
import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.normalizer.metrics.AlertKind;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.util.function.Supplier;

/** The running topology of one generation. */
public final class NormalizerStreams implements AutoCloseable {
    private static final int MOST_REPLACED = 5;

    private final RunningTopology running;

    /**
     * @param deciders gives each task its own
     * @param onGivingUp called at most once, on a stream thread, when no thread is replaced any more
     */
    public NormalizerStreams(
            StreamsSettings settings,
            Incarnation incarnation,
            Supplier<Decider> deciders,
            Predecessors predecessors,
            NormalizerMetrics metrics,
            Runnable onGivingUp) {
        running = new RunningTopology(
                "the normalizer",
                () -> NormalizerTopology.build(settings, incarnation, deciders, predecessors, metrics),
                settings.toProperties(incarnation),
                MOST_REPLACED,
                failure -> tell(metrics, failure),
                onGivingUp);
    }

    private static void tell(NormalizerMetrics metrics, Throwable failure) {
        LogMadeAnewException anew = LogMadeAnewException.in(failure);
        if (anew == null) {
            metrics.alerts().raise(AlertKind.STREAM_THREAD, failure.getClass().getSimpleName());
        } else {
            metrics.alerts().raise(AlertKind.LOG_MADE_ANEW, String.valueOf(anew.getMessage()));
        }
    }

    public void start() {
        running.start();
    }

    /** Whether every partition of this instance is being handled. */
    public boolean isRunning() {
        return running.isRunning();
    }

    public String state() {
        return running.state();
    }

    /** Ends for good: nobody waits for this instance, and nothing of it stays on this machine's disk. */
    public void retire() {
        running.retire();
    }

    /** Its partitions wait a while for its return. */
    @Override
    public void close() {
        running.close();
    }
}
