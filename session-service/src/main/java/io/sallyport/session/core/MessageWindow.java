package io.sallyport.session.core;

import java.util.Iterator;
import java.util.LinkedHashSet;

/** The msg_ids that a session was sent and has not answered, at most so many; beyond, the oldest is forgotten. */
final class MessageWindow {
    private final int max;
    private final LinkedHashSet<String> open = new LinkedHashSet<>();

    MessageWindow(int max) {
        this.max = max;
    }

    void sent(String msgId) {
        // A repeat moves to the young end.
        open.remove(msgId);
        open.add(msgId);
        if (open.size() > max) {
            Iterator<String> oldest = open.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** False where this session was not sent the message, or has answered it before. */
    boolean answered(String msgId) {
        return open.remove(msgId);
    }
}
