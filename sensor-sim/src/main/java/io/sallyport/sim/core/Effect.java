package io.sallyport.sim.core;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.Skip;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.SensorStart;
import java.util.List;

/**
 * What the surroundings of a {@link SensorCore} have to do, in the order of the list. Each spool effect must be durable
 * before a later frame is sent: that is what "durable before the first send" rests on.
 */
public sealed interface Effect {

    /** Open a connection; {@code endpoint} is host:port from MOVED, or empty for the configured gateway. */
    record Connect(String endpoint) implements Effect {}

    /** Close the connection. The sensor still expects {@link SensorCore#disconnected}. */
    record Disconnect(String reason) implements Effect {}

    /** A session is open. */
    record Accepted(Accept accept) implements Effect {}

    /** The gateway refused a batch (batch_id set) or ended the session; for logs and reports only. */
    record Refused(Reject reject) implements Effect {}

    /** Send SENSOR_START. */
    record Start(SensorStart start) implements Effect {}

    /**
     * Read these events from the spool and send them as one BATCH; report those that cannot be read with {@link
     * SensorCore#unreadable}, and send the rest.
     *
     * @param blockBytes of the event block, uncompressed
     * @param firstSends how many of them are sent for the first time
     */
    record Batch(int batchId, long epoch, int codec, int flags, long[] seqs, int blockBytes, int firstSends)
            implements Effect {}

    /** Send SKIP. */
    record SendSkip(Skip skip) implements Effect {}

    /** Send a small frame. */
    record Send(FrameType type, byte[] body) implements Effect {}

    /**
     * Write events with the numbers from {@code firstSeq} on, and the state, in one atomic step or in several, each with
     * the state that {@link SensorState#without} gives for it.
     */
    record Append(long epoch, long firstSeq, List<SensorEvent> events, SensorState state) implements Effect {}

    /** Write the state. */
    record Save(SensorState state) implements Effect {}

    /** Everything of the epoch at or below {@code upTo} may be deleted; write the state. */
    record Trim(long epoch, long upTo, SensorState state) implements Effect {}

    /** Replace events by the reason why they were given up, and write the state, in one atomic step. */
    record Drop(long epoch, long from, long to, int reason, SensorState state) implements Effect {}

    /**
     * Move these events, in order, to the numbers from {@code firstSeq} on in a new epoch, delete everything else of the
     * old one, and write the state, in one atomic step.
     *
     * @param flagged they had numbers of a granted epoch before: mark them as renumbered
     */
    record Renumber(long fromEpoch, long[] seqs, long toEpoch, long firstSeq, boolean flagged, SensorState state)
            implements Effect {}

    /**
     * A message was taken; its answer follows.
     *
     * @param applied false: refused
     * @param repeat it had come before and is neither applied nor refused again; the answer is the same
     */
    record Taken(Message message, boolean applied, boolean repeat) implements Effect {}

    /** Keep an answered message; the one 1,024 before it may be deleted. */
    record Remember(RememberedMessage message) implements Effect {}

    /**
     * An ACK or ACCEPT acknowledged events.
     *
     * @param firstSentUs times of the first sends; fewer than events where an earlier process had sent some
     */
    record Acked(int events, long[] firstSentUs) implements Effect {}
}
