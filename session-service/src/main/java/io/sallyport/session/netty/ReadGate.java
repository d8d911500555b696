package io.sallyport.session.netty;

import io.netty.channel.Channel;

/**
 * Decides whether a connection's socket is read. It is not while the sensor does not read what it is sent, while too
 * many of the connection's own bytes are on their way into the log, or while the node's memory is used up. Belongs to
 * the connection's event loop.
 */
final class ReadGate {

    /** Learns of changes. */
    interface Listener {
        void reading(boolean reads);
    }

    private final Channel channel;
    private final FrameDecoder decoder;
    private final MemoryBudget memory;
    private final long maxBytes;
    private final Listener listener;
    private long inFlightBytes;
    private boolean connectionFull;
    private boolean nodeFull;
    private boolean unwritable;
    private boolean shut;
    private boolean over;

    ReadGate(Channel channel, FrameDecoder decoder, MemoryBudget memory, long maxBytes, Listener listener) {
        this.channel = channel;
        this.decoder = decoder;
        this.memory = memory;
        this.maxBytes = maxBytes;
        this.listener = listener;
    }

    /** Bytes are on their way into the log; they are charged to the node here. */
    void charge(long bytes) {
        memory.charge(bytes);
        inFlightBytes += bytes;
        connectionFull |= inFlightBytes >= maxBytes;
        if (!nodeFull && memory.isFull()) {
            nodeFull = true;
            memory.await(() -> LoopTasks.execute(channel, () -> {
                nodeFull = false;
                update();
            }));
        }
        update();
    }

    /** Bytes have their outcome; whoever learned of it first has released them for the node. */
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
        boolean shouldShut = connectionFull || nodeFull || unwritable;
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
