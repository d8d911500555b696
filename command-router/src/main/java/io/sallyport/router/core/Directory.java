package io.sallyport.router.core;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import java.util.Optional;

/** The session directory: the newest session wins, and only its own end ends it. */
final class Directory {
    private Directory() {}

    static void apply(Turn turn, SessionEntry word) {
        boolean connected = word.getState() == SessionState.SESSION_CONNECTED;
        Optional<Session> known = turn.session;
        if (word.getSessionId() == 0 || word.getState() == SessionState.SESSION_STATE_UNSPECIFIED) {
            turn.count(Note.MALFORMED);
        } else if (known.isEmpty()
                || SessionId.isNewer(word.getSessionId(), known.get().sessionId())) {
            turn.session = Optional.of(new Session(word.getSessionId(), connected, word.getEpoch()));
        } else if (word.getSessionId() != known.get().sessionId()) {
            turn.count(connected ? Note.STALE_REGISTER : Note.STALE_UNREGISTER);
        } else if (!connected) {
            turn.session = Optional.of(new Session(word.getSessionId(), false, word.getEpoch()));
        }
        // A session that has ended does not come back under its id: what is left is a repetition.
    }
}
