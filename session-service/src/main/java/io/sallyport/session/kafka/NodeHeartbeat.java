package io.sallyport.session.kafka;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.NodeStats;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * This node's sign of life in `node-stats`, every 5 s: a node without one for 30 s is taken for dead and its sessions for
 * disconnected (semantics, section 6). One that fails to be written is followed by the next.
 */
public final class NodeHeartbeat implements AutoCloseable {
    private static final long INTERVAL_MS = 5_000;

    private final int node;
    private final ControlProducer producer;
    private final IntSupplier sessions;
    private final LongSupplier clockUs;
    private final long startedAtUs;
    private final ScheduledExecutorService timer;

    /**
     * @param sessions live ones on this node
     * @param clockUs wall clock, microseconds since 1970
     */
    public NodeHeartbeat(int node, ControlProducer producer, IntSupplier sessions, LongSupplier clockUs) {
        this.node = node;
        this.producer = producer;
        this.sessions = sessions;
        this.clockUs = clockUs;
        this.startedAtUs = clockUs.getAsLong();
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            var thread = new Thread(task, "node-heartbeat");
            thread.setDaemon(true);
            return thread;
        });
    }

    public void start() {
        timer.scheduleAtFixedRate(this::beat, 0, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    private void beat() {
        producer.send(
                Topics.NODE_STATS,
                0,
                Integer.toString(node),
                NodeStats.newBuilder()
                        .setNode(node)
                        .setAtUs(clockUs.getAsLong())
                        .setSessions(sessions.getAsInt())
                        .setStartedAtUs(startedAtUs)
                        .build());
    }
}
