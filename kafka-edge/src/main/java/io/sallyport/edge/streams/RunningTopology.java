package io.sallyport.edge.streams;

import java.time.Duration;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A topology in this process, from its start to its end. A thread that dies is replaced, since one hiccup of a broker takes
 * all of them; what kills one after the other needs a new process, or a person: then this member stops.
 */
public final class RunningTopology implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningTopology.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);
    private static final int MOST_REPLACED = 20;
    private static final long REPLACED_WITHIN_MS = 600_000;

    private final ThreadFailures failures = new ThreadFailures(MOST_REPLACED, REPLACED_WITHIN_MS);
    private final String name;
    private final Topology topology;
    private final Properties config;
    private final Consumer<Throwable> onFailure;
    private final Runnable onGivingUp;
    private volatile @Nullable KafkaStreams streams;
    private volatile boolean closed;

    /**
     * @param name of what it does, for log lines
     * @param onFailure called on the stream thread that dies of it
     * @param onGivingUp called on a stream thread, when no thread is replaced any more
     */
    public RunningTopology(
            String name, Topology topology, Properties config, Consumer<Throwable> onFailure, Runnable onGivingUp) {
        this.name = name;
        this.topology = topology;
        this.config = config;
        this.onFailure = onFailure;
        this.onGivingUp = onGivingUp;
    }

    /** At most once. */
    public synchronized void start() {
        if (streams != null) {
            throw new IllegalStateException(name + " was started before");
        }
        var started = new KafkaStreams(topology, config);
        started.setUncaughtExceptionHandler(this::afterFailure);
        started.setStateListener((now, before) -> LOG.info("{}: {} -> {}", name, before, now));
        streams = started;
        started.start();
    }

    /** Whether every partition of this member is being handled. */
    public boolean isRunning() {
        KafkaStreams current = streams;
        return current != null && current.state() == KafkaStreams.State.RUNNING;
    }

    /** Whether records are handled, or will be once partitions have moved or state is restored. */
    public boolean isRunningOrRebalancing() {
        KafkaStreams current = streams;
        return current != null && current.state().isRunningOrRebalancing();
    }

    /** The state in Kafka Streams' own words, for health. */
    public String state() {
        KafkaStreams current = streams;
        return current == null
                ? KafkaStreams.State.CREATED.name()
                : current.state().name();
    }

    /** Whether nothing of it is open: it was never started, or was closed in time. */
    public boolean isClosed() {
        return streams == null || closed;
    }

    /** Removes what it left on this machine's disk, where it has ended. */
    public void discard() {
        KafkaStreams current = streams;
        if (current != null && current.state() == KafkaStreams.State.NOT_RUNNING) {
            current.cleanUp();
        }
    }

    @Override
    public void close() {
        KafkaStreams current = streams;
        closed = current != null && current.close(CLOSE_TIMEOUT);
        if (current != null && !closed) {
            LOG.warn("{} did not stop within {}", name, CLOSE_TIMEOUT);
        }
    }

    StreamThreadExceptionResponse afterFailure(Throwable failure) {
        onFailure.accept(failure);
        if (failures.mayReplace(System.currentTimeMillis())) {
            LOG.error("a thread of {} died, its transaction is aborted; another takes its place", name, failure);
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        }
        LOG.error("threads of {} keep dying: it stops", name, failure);
        onGivingUp.run();
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
}
