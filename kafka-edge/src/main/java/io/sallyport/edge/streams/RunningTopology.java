package io.sallyport.edge.streams;

import java.time.Duration;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A topology in this process, from its start to its end. A thread that dies is replaced, since one hiccup of a broker takes
 * all of them; what kills one after the other needs a new process, or a person: then this member stops. Where only a person helps, because
 * the log is another one than the state's, it stops at once.
 */
public final class RunningTopology implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningTopology.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);
    private static final long REPLACED_WITHIN_MS = 300_000;

    private final ThreadFailures failures;
    private final String name;
    private final Supplier<Topology> topology;
    private final Properties config;
    private final Consumer<Throwable> onFailure;
    private final Runnable onGivingUp;
    private volatile @Nullable KafkaStreams streams;
    private volatile boolean closed;

    /**
     * @param name of what it does, for log lines
     * @param topology made anew for each start
     * @param mostReplaced threads within five minutes; a replacement takes some ten seconds
     * @param onFailure called on the stream thread that dies of it
     * @param onGivingUp called on a stream thread, when no thread is replaced any more
     */
    public RunningTopology(
            String name,
            Supplier<Topology> topology,
            Properties config,
            int mostReplaced,
            Consumer<Throwable> onFailure,
            Runnable onGivingUp) {
        this.name = name;
        this.topology = topology;
        this.config = config;
        this.failures = new ThreadFailures(mostReplaced, REPLACED_WITHIN_MS);
        this.onFailure = onFailure;
        this.onGivingUp = onGivingUp;
    }

    /** For the first time, or after it was closed. */
    public synchronized void start() {
        if (!isClosed()) {
            throw new IllegalStateException(name + " is running");
        }
        closed = false;
        var started = new KafkaStreams(topology.get(), config);
        started.setUncaughtExceptionHandler(this::afterFailure);
        started.setStateListener((now, before) -> LOG.info("{}: {} -> {}", name, before, now));
        closed = false;
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

    /** Ends for good: nobody waits for this member, and nothing of it stays on this machine's disk. */
    public void retire() {
        close(GroupMembershipOperation.LEAVE_GROUP);
        KafkaStreams current = streams;
        if (current != null && current.state() == KafkaStreams.State.NOT_RUNNING) {
            current.cleanUp();
        }
    }

    /** Its partitions wait a while for its return. */
    @Override
    public void close() {
        close(GroupMembershipOperation.REMAIN_IN_GROUP);
    }

    private synchronized void close(GroupMembershipOperation membership) {
        KafkaStreams current = streams;
        closed = current != null
                && current.close(CloseOptions.timeout(CLOSE_TIMEOUT).withGroupMembershipOperation(membership));
        if (current != null && !closed) {
            LOG.warn("{} did not stop within {}", name, CLOSE_TIMEOUT);
        }
    }

    StreamThreadExceptionResponse afterFailure(Throwable failure) {
        onFailure.accept(failure);
        if (LogMadeAnewException.in(failure) != null) {
            // Neither a thread nor a process would help, so nobody is asked for one: a person has to look.
            LOG.error("{} stops for good: what it remembers belongs to another log", name, failure);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        }
        if (failures.mayReplace(System.currentTimeMillis())) {
            LOG.error("a thread of {} died, its transaction is aborted; another takes its place", name, failure);
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        }
        LOG.error("threads of {} keep dying: it stops", name, failure);
        onGivingUp.run();
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
}
