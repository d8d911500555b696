package io.sallyport.session.core;

import java.util.HashMap;
import java.util.Map;

/**
 * Keeps messages of one type in order where one could not be handed over: what is newer waits until that one has come
 * again, followed by all that is newer of its type. The router tells from which revision on it may send again, so that
 * nothing waits for a message that was withdrawn; where an older one is still unanswered it cannot tell, and time does.
 */
final class HeldBack {
    /** The router repeats a push after 30 s; once missed is enough. */
    private static final int HOLD_MS = 75_000;

    /** @param revision of the oldest message that was not handed over, as unsigned */
    private record Hold(long revision, long untilMs) {}

    /** By the number of the message's type, of which there are few. */
    private final Map<Integer, Hold> holds = new HashMap<>();

    /** A message could not be handed over. Without a revision it has no order to keep. */
    void missed(int type, long revision, long nowMs) {
        if (revision != 0) {
            holds.merge(
                    type,
                    new Hold(revision, nowMs + HOLD_MS),
                    (before, now) -> Long.compareUnsigned(before.revision(), revision) <= 0 && nowMs < before.untilMs()
                            ? before
                            : now);
        }
    }

    /** The router sends nothing below this revision any more, whatever was missed of it. 0 tells nothing. */
    void openFrom(int type, long oldestOpen) {
        holds.computeIfPresent(
                type,
                (key, hold) -> Long.compareUnsigned(hold.revision(), oldestOpen) < 0
                        ? new Hold(oldestOpen, hold.untilMs())
                        : hold);
    }

    /** Whether a message has to wait for an older one of its type. */
    boolean holds(int type, long revision, long nowMs) {
        Hold hold = holds.get(type);
        return hold != null && nowMs < hold.untilMs() && Long.compareUnsigned(revision, hold.revision()) > 0;
    }

    /** A message was handed over. */
    void handedOver(int type, long revision) {
        Hold hold = holds.get(type);
        if (hold != null && Long.compareUnsigned(revision, hold.revision()) >= 0) {
            holds.remove(type);
        }
    }
}
