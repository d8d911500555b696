package io.sallyport.envelope.epoch;

import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.SessionEntry;
import java.util.Optional;

/**
 * What follows from one session report.
 *
 * @param state the sensor's state afterwards
 * @param changed whether it differs from the state before; only then it is written
 * @param session the changed entry of the session directory
 * @param standing how the report related to what was known
 */
public record ReportEffect(EpochState state, boolean changed, Optional<SessionEntry> session, Standing standing) {

    /** How a report relates to the state that it meets. */
    public enum Standing {
        /** Of the newest session and epoch, or merged into what is known of an older session. */
        MERGED,
        /** A disconnect of a session that a newer one replaced: the directory stays as it is. */
        STALE_UNREGISTER,
        /** Of an epoch that is closed: nothing of it matters any more. */
        CLOSED_EPOCH,
        /** Of an epoch that this authority never granted. */
        UNKNOWN_EPOCH
    }
}
