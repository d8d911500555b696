package io.sallyport.fanout.core;

import io.sallyport.proto.log.v1.MessageBody;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.QueueEntry;

/** What becomes of a request; all of one verdict is written in one transaction. */
public sealed interface Verdict {

    /** The record is forged or damaged, so that nobody who waits for an answer has sent it. */
    record Dropped(String reason, boolean crossTenant) implements Verdict {}

    /** Nothing is to be done but to say so: same, conflict, refused, or cancelled before. */
    record Answered(MessageDecision decision) implements Verdict {}

    /**
     * A new message.
     *
     * @param entry what all queue entries of the message share
     * @param plan its targets
     * @param lane of its type; entries of one lane and customer keep the order of their revisions
     */
    record Accepted(MessageDecision decision, MessageBody body, QueueEntry entry, Plan plan, int lane)
            implements Verdict {}

    /** A message is cancelled; every target in its plan gets a cancellation. */
    record Cancelled(MessageDecision decision) implements Verdict {}
}
