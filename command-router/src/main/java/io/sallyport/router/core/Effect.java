package io.sallyport.router.core;

import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import java.util.OptionalLong;

/** What has to be done after a decision. Carried out by the caller, in order, in one transaction with the new state. */
public sealed interface Effect {

    /**
     * Sends a message to the node that owns the session.
     *
     * @param previous revision of the next older message of its type that is open and may be sent again: the gateway
     *     hands this one over only behind that one
     */
    record Push(Entry entry, Session session, Path path, OptionalLong previous) implements Effect {}

    /** How a push came about. */
    enum Path {
        /** The sensor was connected when the message was accepted. */
        LIVE,
        /** The message waited for the session. */
        REPLAY,
        /** An unanswered push, again in its session. */
        REPEAT
    }

    /**
     * A target has changed its state; exactly one for each target and decision.
     *
     * @param from PLANNED for a target that was not here before
     * @param message a cancellation stands in for a message that never came
     */
    record StatusChanged(TargetState from, TargetStatus status, QueueEntry message) implements Effect {}

    /** A late answer to a settled target: its state stays. */
    record LateAnswer(Settled settled) implements Effect {}

    /** Keeps a settled target, or replaces what was kept of it. */
    record Remember(Settled settled) implements Effect {}

    /** A settled target may be forgotten. */
    record Forget(Settled settled) implements Effect {}

    /** QUEUE_EVICTED, for `coverage`. */
    record EvictionMarker(QueueEntry message, int epoch) implements Effect {}

    /** To be alerted, counted by kind and logged. */
    record Alert(AlertKind kind, String detail) implements Effect {}

    /** To be counted. */
    record Count(Note note) implements Effect {}
}
