package io.sallyport.normalizer.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stage;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** What a decision wants written, in this order. */
public sealed interface Effect {

    /**
     * What all events of one raw record share.
     *
     * @param replay the batch came from the sensor's spool
     * @param renumbered its events were numbered in an earlier epoch
     */
    record Admission(SensorKey sensor, long epoch, long ingestTsUs, boolean replay, boolean renumbered) {}

    /**
     * One event as it stands in its block.
     *
     * @param payload a view that is valid until the next decision
     * @param payloadSha256 the digest that its content hash was made of, since a payload is digested once
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Event(long seq, int type, int payloadSchema, long eventTsUs, ByteBuffer payload, byte[] payloadSha256) {}

    /** The event at {@code index} of its block goes to `structured`. */
    record Commit(Admission admission, int index, Event event, boolean clockSkew) implements Effect {}

    /**
     * A marker goes to `structured` and `coverage`.
     *
     * @param sensor empty where the record does not tell whose it is
     * @param epoch 0 where unknown
     * @param count seqs in {@code ranges}; raw records for RETENTION_OVERRUN
     */
    record Mark(
            Optional<SensorKey> sensor,
            long epoch,
            List<SeqRange> ranges,
            long count,
            Stage stage,
            Reason reason,
            String detail)
            implements Effect {}

    /**
     * Content goes to `quarantine`.
     *
     * @param original what is kept of it
     */
    record Quarantine(
            Optional<SensorKey> sensor,
            long epoch,
            List<SeqRange> ranges,
            Reason reason,
            String detail,
            Original original)
            implements Effect {}

    /**
     * Bytes that can be put back into `raw` as they are.
     *
     * @param bytes the raw value as it was, or a BATCH body of the refused events alone
     * @param whole which of the two: a body of single events has lost the indexes that its stamp speaks of
     * @param index index of the first refused event in the block it came from
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Original(byte[] bytes, boolean whole, int index) {
        static Original whole(byte[] rawValue) {
            return new Original(rawValue, true, 0);
        }
    }
}
