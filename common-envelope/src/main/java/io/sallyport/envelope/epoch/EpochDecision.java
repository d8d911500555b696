package io.sallyport.envelope.epoch;

import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.SessionEntry;
import java.util.Optional;

/**
 * What follows from one claim.
 *
 * @param state the sensor's state afterwards; to be written only where it {@link #changed}
 * @param changed whether it differs from the state before
 * @param answer for the asking node, in any case
 * @param session the new entry of the session directory, where the claim was granted for the first time
 * @param alert raised at most once for one claim id
 */
public record EpochDecision(
        EpochState state,
        boolean changed,
        EpochAnswer answer,
        Optional<SessionEntry> session,
        Optional<EpochAlert> alert) {}
