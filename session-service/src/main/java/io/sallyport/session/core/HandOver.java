package io.sallyport.session.core;

import io.sallyport.proto.log.v1.SessionPush;
import java.util.HashMap;
import java.util.Map;

/**
 * The order of a session's messages, within each type. A push names the next older message of its type that is still
 * open; it is handed over only behind that one. So whatever is lost on the way, before this node saw it or because the
 * sensor did not read, what is newer waits until the router repeats the older one, followed by all that is newer.
 */
final class HandOver {
    /** Newest revision that the session has had, as unsigned, by the number of the message's type. */
    private final Map<Integer, Long> newest = new HashMap<>();

    /** Whether the session has had what comes before this message. */
    boolean isNext(SessionPush push) {
        if (!push.hasPreviousRevision()) {
            return true;
        }
        Long had = newest.get(push.getMessage().getTypeValue());
        return had != null && Long.compareUnsigned(push.getPreviousRevision(), had) <= 0;
    }

    /** The message was handed over, or is refused for good. Only for one that {@linkplain #isNext is next}. */
    void had(SessionPush push) {
        newest.merge(
                push.getMessage().getTypeValue(),
                push.getRevision(),
                (before, now) -> Long.compareUnsigned(before, now) >= 0 ? before : now);
    }
}
