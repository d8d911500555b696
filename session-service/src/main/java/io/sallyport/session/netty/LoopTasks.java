package io.sallyport.session.netty;

import io.netty.channel.Channel;
import java.util.concurrent.RejectedExecutionException;

/** Brings work to a connection's event loop from another thread. */
final class LoopTasks {
    private LoopTasks() {}

    /** Runs {@code task} on the loop; drops it where the loop has ended, since the connection has too. */
    static void execute(Channel channel, Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            if (!channel.eventLoop().isShuttingDown()) {
                throw e;
            }
        }
    }
}
