package io.sallyport.session.kafka;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.NodeStats;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.DailyUsage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * This node's sign of life in `node-stats`, every 5 s: a node without one for 30 s is taken for dead and its sessions for
 * disconnected (semantics, section 6). It also carries what customers brought in today and
 * want to bring in. One that fails to be written is followed by the next.
 */
public final class NodeHeartbeat implements AutoCloseable {
    private static final long INTERVAL_MS = 5_000;

    private final int node;
    private final ControlProducer producer;
    private final IntSupplier sessions;
    private final ControlData control;
    private final LongSupplier clockUs;
    private final long startedAtUs;
    private final ScheduledExecutorService timer;

    /**
     * @param sessions live ones on this node
     * @param control whose usage and demand are written down, once it holds what was written before
     * @param clockUs wall clock, microseconds since 1970
     */
    public NodeHeartbeat(
            int node, ControlProducer producer, IntSupplier sessions, ControlData control, LongSupplier clockUs) {
        this.node = node;
        this.producer = producer;
        this.sessions = sessions;
        this.control = control;
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

    /** With a last word: what was counted since the one before would be forgotten otherwise. */
    @Override
    public void close() {
        timer.shutdownNow();
        beat();
    }

    private void beat() {
        if (!control.isLoaded()) {
            // The record would replace the one in which the last incarnation left what it counted.
            return;
        }
        long nowUs = clockUs.getAsLong();
        producer.send(
                Topics.NODE_STATS,
                0,
                Integer.toString(node),
                NodeStats.newBuilder()
                        .setNode(node)
                        .setAtUs(nowUs)
                        .setSessions(sessions.getAsInt())
                        .setStartedAtUs(startedAtUs)
                        .addAllUsage(control.usage().today(DailyUsage.dayOf(nowUs / 1_000)))
                        .addAllDemand(control.demand().say(System.nanoTime()))
                        .build());
    }
}
