package io.sallyport.local.records;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.BlockDecoder;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.Fence;
import io.sallyport.proto.log.v1.Stamp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** The fields of a record of `raw`: its kind, the admission stamp, and what the body says of itself; no payloads. */
final class RawFields implements AutoCloseable {
    private final BlockDecoder decoder = new BlockDecoder();

    boolean isBatch(ConsumerRecord<byte[], byte[]> record) {
        return RawKind.BATCH.name().equals(kind(record));
    }

    void write(ConsumerRecord<byte[], byte[]> record, JsonLine line) {
        line.string("raw_kind", kind(record));
        line.literal("value_bytes", record.value() == null ? 0 : record.value().length);
        Header stamp = record.headers().lastHeader(RawHeaders.STAMP);
        if (stamp != null && stamp.value() != null) {
            try {
                line.message("stamp", Stamp.parseFrom(stamp.value()));
            } catch (InvalidProtocolBufferException e) {
                line.base64("undecodable_stamp", stamp.value());
            }
        }
        if (record.value() != null && !body(record, line)) {
            line.base64("undecodable_value", record.value());
        }
    }

    private boolean body(ConsumerRecord<byte[], byte[]> record, JsonLine line) {
        Optional<RawKind> kind = RawKind.of(kind(record));
        if (kind.isEmpty()) {
            return false;
        }
        return switch (kind.get()) {
            case BATCH -> batch(ByteBuffer.wrap(record.value()), line);
            case SKIP -> skip(record.value(), line);
            case EPOCH_OPEN -> epochOpen(record.value(), line);
            case FENCE -> fence(record.value(), line);
        };
    }

    private boolean batch(ByteBuffer body, JsonLine line) {
        Optional<BatchHeader> found = BatchHeader.read(body);
        if (found.isEmpty()) {
            return false;
        }
        BatchHeader header = found.get();
        var fields = new JsonLine()
                .literal("epoch", header.epoch())
                .literal("batch_id", Integer.toUnsignedLong(header.batchId()))
                .string("codec", codecName(header.codec()))
                .literal("flags", header.flags())
                .literal("replay", header.isReplay())
                .literal("renumbered", header.isRenumbered())
                .literal("count", header.count())
                .literal("raw_length", header.rawLength())
                .literal("block_bytes", body.remaining())
                .literal("crc32c", Integer.toUnsignedLong(header.crc32c()));
        seqs(header, body, fields);
        line.json("batch", fields.end());
        return true;
    }

    /** First, lowest and highest seq of the block; left out where the block does not decode. */
    private void seqs(BatchHeader header, ByteBuffer block, JsonLine fields) {
        if (header.codec() > BatchHeader.CODEC_ZSTD || header.rawLength() > LinkLimits.DEFAULTS.maxBatchBytes()) {
            return;
        }
        if (decoder.decode(header.codec(), block, (int) header.rawLength())
                instanceof BlockDecoder.Result.Decoded decoded) {
            var events = new EventCursor(decoded.block(), header.count());
            long first = 0;
            long lowest = Long.MAX_VALUE;
            long highest = 0;
            while (events.next()) {
                first = events.index() == 0 ? events.seq() : first;
                lowest = Math.min(lowest, events.seq());
                highest = Math.max(highest, events.seq());
            }
            if (events.isComplete() && header.count() > 0) {
                fields.wide("first_seq", first).wide("lowest_seq", lowest).wide("highest_seq", highest);
            }
        }
    }

    private static boolean skip(byte[] value, JsonLine line) {
        Optional<Skip> found = Skip.read(ByteBuffer.wrap(value));
        found.ifPresent(skip -> line.json(
                "skip",
                new JsonLine()
                        .literal("epoch", skip.epoch())
                        .wide("from_seq", skip.fromSeq())
                        .wide("to_seq", skip.toSeq())
                        .literal("reason", skip.reason())
                        .end()));
        return found.isPresent();
    }

    private static boolean epochOpen(byte[] value, JsonLine line) {
        try {
            line.message("epoch_open", EpochOpen.parseFrom(value));
            return true;
        } catch (InvalidProtocolBufferException e) {
            return false;
        }
    }

    private static boolean fence(byte[] value, JsonLine line) {
        try {
            line.message("fence", Fence.parseFrom(value));
            return true;
        } catch (InvalidProtocolBufferException e) {
            return false;
        }
    }

    private static String kind(ConsumerRecord<byte[], byte[]> record) {
        Header header = record.headers().lastHeader(RawHeaders.KIND);
        return header == null || header.value() == null ? "" : new String(header.value(), StandardCharsets.US_ASCII);
    }

    private static String codecName(int codec) {
        return switch (codec) {
            case BatchHeader.CODEC_NONE -> "none";
            case BatchHeader.CODEC_ZSTD -> "zstd";
            default -> Integer.toString(codec);
        };
    }

    @Override
    public void close() {
        decoder.close();
    }
}
