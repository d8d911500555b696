package io.sallyport.session.netty;

import io.netty.channel.Channel;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.session.core.LinkMachine;
import io.sallyport.session.core.Note;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pushes on their way to a connection's event loop, at most so many. Of what comes beyond only the order is kept: what
 * is newer of the same type waits until the router has repeated it.
 */
final class PushInbox {
    private static final int MAX_QUEUED = 64;

    private final LinkHandler handler;
    private final Channel channel;
    private final AtomicInteger queued = new AtomicInteger();
    /** Lowest revision that did not fit, by the number of the message's type. */
    private final Map<Integer, Long> missed = new ConcurrentHashMap<>();

    PushInbox(LinkHandler handler, Channel channel) {
        this.handler = handler;
        this.channel = channel;
    }

    /** Called on any thread. */
    void offer(SessionPush push) {
        if (queued.incrementAndGet() <= MAX_QUEUED) {
            LoopTasks.execute(channel, () -> {
                queued.decrementAndGet();
                handler.turn(out -> machine().push(push, handler.now(), out));
            });
            return;
        }
        queued.decrementAndGet();
        handler.count(Note.PUSH_INBOX_FULL);
        boolean first = missed.isEmpty();
        missed.merge(
                push.getMessage().getTypeValue(),
                push.getRevision(),
                (a, b) -> Long.compareUnsigned(a, b) <= 0 ? a : b);
        if (first) {
            LoopTasks.execute(channel, this::fold);
        }
    }

    private void fold() {
        for (Integer type : missed.keySet()) {
            Long revision = missed.remove(type);
            if (revision != null) {
                machine().missedPush(type, revision, handler.now());
            }
        }
    }

    private LinkMachine machine() {
        return handler.machine();
    }
}
