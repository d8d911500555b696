package io.sallyport.normalizer.streams;

import io.sallyport.normalizer.metrics.AlertKind;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running topology. A stream thread that dies is replaced a few times; then the instance stops as unhealthy. */
public final class NormalizerStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NormalizerStreams.class);
    private static final int MOST_REPLACED = 5;
    private static final long REPLACED_WITHIN_MS = 300_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);

    private final RocksMemory memory = new RocksMemory(StreamsSettings.ROCKS_MEMORY_BYTES);
    private final ThreadFailures failures = new ThreadFailures(MOST_REPLACED, REPLACED_WITHIN_MS);
    private final NormalizerMetrics metrics;
    private final Runnable onGivingUp;
    private final KafkaStreams streams;

    /**
     * @param deciders gives each task its own
     * @param onGivingUp called at most once, on a stream thread, when no thread is replaced any more
     */
    public NormalizerStreams(
            StreamsSettings settings,
            Incarnation incarnation,
            Supplier<Decider> deciders,
            SnapshotSource snapshots,
            NormalizerMetrics metrics,
            Runnable onGivingUp) {
        this.metrics = metrics;
        this.onGivingUp = onGivingUp;
        streams = new KafkaStreams(
                NormalizerTopology.build(settings, incarnation, deciders, snapshots, metrics),
                settings.toProperties(memory, incarnation.applicationId()));
        streams.setUncaughtExceptionHandler(this::onFailure);
    }

    public void start() {
        streams.start();
    }

    /** Whether records are handled, or will be once partitions have moved or state is restored. */
    public boolean isServing() {
        return streams.state().isRunningOrRebalancing();
    }

    /** Whether every partition of this instance is being handled. */
    public boolean isRunning() {
        return streams.state() == KafkaStreams.State.RUNNING;
    }

    public String state() {
        return streams.state().name();
    }

    private StreamThreadExceptionResponse onFailure(Throwable failure) {
        LOG.error("a stream thread died; its transaction is aborted", failure);
        metrics.alerts().raise(AlertKind.STREAM_THREAD, failure.getClass().getSimpleName());
        if (failures.mayReplace(System.currentTimeMillis())) {
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        }
        LOG.error("stream threads keep dying: this instance gives up");
        onGivingUp.run();
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }

    /** Removes what a stopped generation left on this machine's disk. */
    public void discard() {
        if (streams.state() == KafkaStreams.State.NOT_RUNNING) {
            streams.cleanUp();
        }
    }

    @Override
    public void close() {
        if (streams.close(CLOSE_TIMEOUT)) {
            memory.close();
        } else {
            // Stores that are still open use the memory; it goes with the process.
            LOG.warn("the topology did not stop within {}", CLOSE_TIMEOUT);
        }
    }
}
