package io.sallyport.session.core;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.BlockDecoder;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.registry.EventTypes;
import io.sallyport.proto.link.v1.RejectCode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The checks of a BATCH in the order of the table in section 4 of the sensor link. Payloads are never read. One instance
 * serves all sessions of one event loop, since it owns the decompression buffer.
 */
public final class BatchAdmission implements AutoCloseable {

    /** The outcome of {@link #check}. */
    public sealed interface Outcome {
        /** Shorter than its header: the session ends. */
        record Torn() implements Outcome {}

        /** The batch is refused and the session goes on. */
        record Refused(Refusal refusal) implements Outcome {}

        /**
         * To be appended as received.
         *
         * @param droppedIndexes events of the block whose size is not allowed, ascending
         * @param decodedBytes length of the block once decompressed
         */
        record Admitted(BatchHeader header, int[] droppedIndexes, int decodedBytes, AckWindow.InFlight entry)
                implements Outcome {}
    }

    private static final int[] NONE = {};

    private final LinkLimits limits;
    private final BlockDecoder decoder = new BlockDecoder();
    private final CRC32C crc = new CRC32C();
    private final SeqRuns runs = new SeqRuns();
    private int[] dropped = new int[16];
    private int droppedCount;

    public BatchAdmission(LinkLimits limits) {
        this.limits = limits;
    }

    /** Checks a body and, where it passes, enters it into the session's window. */
    public Outcome check(byte[] body, long epoch, AckWindow window) {
        ByteBuffer in = ByteBuffer.wrap(body);
        Optional<BatchHeader> read = BatchHeader.read(in);
        if (read.isEmpty()) {
            return new Outcome.Torn();
        }
        BatchHeader header = read.get();
        int blockLength = in.remaining();
        if (header.epoch() != epoch) {
            return refused(RejectCode.STALE_EPOCH, header, "the session's epoch is " + epoch);
        }
        if (header.codec() != BatchHeader.CODEC_NONE && header.codec() != BatchHeader.CODEC_ZSTD) {
            return refused(RejectCode.UNSUPPORTED_CODEC, header, "codec " + header.codec());
        }
        if (header.hasUnknownFlags()) {
            return refused(RejectCode.BATCH_MALFORMED, header, "unknown flag bits");
        }
        if (header.count() == 0) {
            return refused(RejectCode.BATCH_MALFORMED, header, "count 0");
        }
        if (header.count() > limits.maxBatchEvents()) {
            return refused(RejectCode.BATCH_TOO_LARGE, header, "count above " + limits.maxBatchEvents());
        }
        if (header.rawLength() > limits.maxBatchBytes()) {
            return refused(RejectCode.BATCH_TOO_LARGE, header, "raw_length above " + limits.maxBatchBytes());
        }
        if (header.codec() == BatchHeader.CODEC_NONE && blockLength != header.rawLength()) {
            return refused(RejectCode.BATCH_MALFORMED, header, "block length differs from raw_length");
        }
        crc.reset();
        crc.update(body, BatchHeader.BYTES, blockLength);
        if ((int) crc.getValue() != header.crc32c()) {
            return refused(RejectCode.BATCH_CORRUPT, header, "crc32c differs");
        }
        BlockDecoder.Result result = decoder.decode(header.codec(), in, (int) header.rawLength());
        if (result instanceof BlockDecoder.Result.TooLarge large) {
            return refused(RejectCode.BATCH_TOO_LARGE, header, large.detail());
        }
        if (result instanceof BlockDecoder.Result.Corrupt corrupt) {
            return refused(RejectCode.BATCH_CORRUPT, header, corrupt.detail());
        }
        return walk(header, ((BlockDecoder.Result.Decoded) result).block(), window);
    }

    private Outcome walk(BatchHeader header, ByteBuffer block, AckWindow window) {
        var events = new EventCursor(block, header.count());
        runs.clear();
        droppedCount = 0;
        String invalid = null;
        while (events.next()) {
            long seq = events.seq();
            if (invalid == null && seq <= 0) {
                invalid = "seq " + Long.toUnsignedString(seq) + " is outside 1 to 2^63 - 1";
            } else if (invalid == null && events.eventType() <= EventTypes.SENSOR_START) {
                invalid = "event_type " + events.eventType() + " is not valid in a batch";
            }
            int payloadLength = events.payloadLength();
            if (payloadLength == 0 || payloadLength > limits.maxEventBytes()) {
                drop(events.index());
            }
            runs.add(seq);
        }
        if (!events.isComplete()) {
            return refused(RejectCode.BATCH_MALFORMED, header, "the block does not hold exactly count events");
        }
        if (invalid != null) {
            return refused(RejectCode.BATCH_MALFORMED, header, invalid);
        }
        if (!window.hasRoomFor(runs, 1)) {
            return refused(RejectCode.ACK_WINDOW_EXCEEDED, header, "send from watermark + 1 upward");
        }
        int[] indexes = droppedCount == 0 ? NONE : Arrays.copyOf(dropped, droppedCount);
        return new Outcome.Admitted(header, indexes, (int) header.rawLength(), window.enter(runs));
    }

    private void drop(int index) {
        if (droppedCount == dropped.length) {
            dropped = Arrays.copyOf(dropped, 2 * droppedCount);
        }
        dropped[droppedCount++] = index;
    }

    private static Outcome refused(RejectCode code, BatchHeader header, String detail) {
        return new Outcome.Refused(Refusal.batch(code, header.batchId(), detail));
    }

    @Override
    public void close() {
        decoder.close();
    }
}
