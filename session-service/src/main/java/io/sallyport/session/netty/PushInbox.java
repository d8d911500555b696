package io.sallyport.session.netty;

import io.netty.channel.Channel;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.session.core.Note;
import java.util.concurrent.atomic.AtomicInteger;

/** Pushes on their way to a connection's event loop, at most so many; what comes beyond is dropped and comes again. */
final class PushInbox {
    private static final int MAX_QUEUED = 64;

    private final LinkHandler handler;
    private final Channel channel;
    private final AtomicInteger queued = new AtomicInteger();

    PushInbox(LinkHandler handler, Channel channel) {
        this.handler = handler;
        this.channel = channel;
    }

    /** Called on any thread. */
    void offer(SessionPush push) {
        if (queued.incrementAndGet() > MAX_QUEUED) {
            queued.decrementAndGet();
            handler.count(Note.PUSH_INBOX_FULL);
            return;
        }
        LoopTasks.execute(channel, () -> {
            queued.decrementAndGet();
            handler.turn(out -> handler.machine().push(push, handler.now(), out));
        });
    }
}
