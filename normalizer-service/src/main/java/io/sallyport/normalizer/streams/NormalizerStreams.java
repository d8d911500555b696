package io.sallyport.normalizer.streams;

import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.normalizer.metrics.AlertKind;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.util.function.Supplier;

/** The running topology of one generation, and the memory of its stores. */
public final class NormalizerStreams implements AutoCloseable {
    private static final int MOST_REPLACED = 5;

    private final RocksMemory memory = new RocksMemory(StreamsSettings.ROCKS_MEMORY_BYTES);
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
                settings.toProperties(memory, incarnation),
                MOST_REPLACED,
                failure -> metrics.alerts()
                        .raise(AlertKind.STREAM_THREAD, failure.getClass().getSimpleName()),
                onGivingUp);
    }

    public void start() {
        running.start();
    }

    /** Whether records are handled, or will be once partitions have moved or state is restored. */
    public boolean isServing() {
        return running.isRunningOrRebalancing();
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
        release();
    }

    /** Its partitions wait a while for its return. */
    @Override
    public void close() {
        running.close();
        release();
    }

    private void release() {
        if (running.isClosed()) {
            memory.close();
        }
        // Stores that are still open use the memory; it goes with the process.
    }
}
