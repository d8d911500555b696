package io.sallyport.session.netty;

import io.netty.channel.Channel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides whether a connection's socket is read. It is not while the sensor does not read what it is sent, while too
 * many of the connection's own bytes are on their way into the log, while the memory of the node, the customer or the
 * shard is used up, or while the sensor is far over its share. Belongs to the connection's event loop.
 */
final class ReadGate {

    /** Learns of changes. */
    interface Listener {
        void reading(boolean reads);
    }

    private final Channel channel;
    private final FrameDecoder decoder;
    /** Of the node; with a session also of its customer and its shard. */
    private List<MemoryBudget> budgets;

    private final long maxBytes;
    private final Listener listener;
    private long inFlightBytes;
    private boolean connectionFull;
    /** Budgets that were found used up and have not called back yet. */
    private final Set<MemoryBudget> full = new HashSet<>(4);

    private boolean overShare;
    private boolean unwritable;
    private boolean shut;
    private boolean over;

    ReadGate(Channel channel, FrameDecoder decoder, MemoryBudget memory, long maxBytes, Listener listener) {
        this.channel = channel;
        this.decoder = decoder;
        this.budgets = List.of(memory);
        this.maxBytes = maxBytes;
        this.listener = listener;
    }

    /** From now on these are charged too. */
    void share(MemoryBudget customer, MemoryBudget shard) {
        budgets = List.of(budgets.get(0), customer, shard);
    }

    /** Bytes are on their way into the log; they are charged here, and released where their outcome is first known. */
    List<MemoryBudget> charge(long bytes) {
        inFlightBytes += bytes;
        connectionFull |= inFlightBytes >= maxBytes;
        for (MemoryBudget budget : budgets) {
            budget.charge(bytes);
            if (budget.isFull() && full.add(budget)) {
                budget.await(() -> LoopTasks.execute(channel, () -> {
                    full.remove(budget);
                    update();
                }));
            }
        }
        update();
        return budgets;
    }

    /** The sensor is so far over its share that asking it to wait is not enough. */
    void overShare(boolean isOver) {
        overShare = isOver;
        update();
    }

    /** Bytes have their outcome. */
    void settled(long bytes) {
        inFlightBytes -= bytes;
        connectionFull &= inFlightBytes >= maxBytes / 2;
        update();
    }

    void writable(boolean isWritable) {
        unwritable = !isWritable;
        update();
    }

    /** The connection is over: its input is drained, whatever comes. */
    void over() {
        over = true;
        channel.config().setAutoRead(true);
    }

    private void update() {
        boolean shouldShut = connectionFull || !full.isEmpty() || unwritable || overShare;
        if (over || shut == shouldShut) {
            return;
        }
        shut = shouldShut;
        listener.reading(!shut);
        if (shut) {
            decoder.hold();
            channel.config().setAutoRead(false);
        } else {
            // Frames that were received before come first, and may shut the gate again.
            decoder.resume();
            if (!shut && !over) {
                channel.config().setAutoRead(true);
            }
        }
    }
}
