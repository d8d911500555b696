package io.sallyport.normalizer.core;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.BlockDecoder;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.envelope.watermark.SeqRangeSet;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.Stamp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads raw records. Everything is checked again that the gateway checked: the log may hold what another writer put
 * there, and a record that cannot be read must cost a quarantine entry, not the thread.
 *
 * <p>One instance belongs to one thread; a decoded block is valid until the next call.
 */
public final class RecordDecoder implements AutoCloseable {
    private final BlockDecoder blocks = new BlockDecoder();

    public Decoded decode(RawRecord raw) {
        Optional<SensorKey> keyed = raw.key() == null
                ? Optional.empty()
                : SensorKey.fromTopicKey(new String(raw.key(), StandardCharsets.ISO_8859_1));
        Optional<Stamp> stamp = stamp(raw.stamp());
        Optional<SensorKey> stamped = stamp.flatMap(s -> SensorKey.of(s.getCustomerId(), s.getSensorId()));
        Optional<SensorKey> known = stamped.or(() -> keyed);
        if (stamp.isEmpty()) {
            return undecodable(known, "no readable stamp");
        }
        if (stamped.isEmpty() || stamp.get().getBaseWatermark() < 0) {
            return undecodable(known, "the stamp is out of range");
        }
        if (!stamped.equals(keyed)) {
            return undecodable(known, "the key is not the stamp's sensor");
        }
        if (raw.value() == null) {
            return undecodable(known, "null value");
        }
        Optional<RawKind> kind = kindText(raw.kind()).flatMap(RawKind::of);
        if (kind.isEmpty()) {
            return undecodable(known, "unknown kind");
        }
        return decode(kind.get(), stamped.get(), stamp.get(), raw.value());
    }

    private Decoded decode(RawKind kind, SensorKey sensor, Stamp stamp, byte[] value) {
        return switch (kind) {
            case BATCH -> batch(sensor, stamp, ByteBuffer.wrap(value));
            case SKIP -> {
                Optional<Skip> skip = Skip.read(ByteBuffer.wrap(value)).filter(s -> s.isWellFormed() && s.epoch() != 0);
                yield skip.isPresent()
                        ? new Decoded.SkipRange(sensor, stamp, skip.get())
                        : undecodable(Optional.of(sensor), "not a SKIP body");
            }
            case EPOCH_OPEN -> {
                Optional<EpochOpen> open = epochOpen(value);
                yield open.isPresent()
                        ? new Decoded.Opening(sensor, stamp, open.get())
                        : undecodable(Optional.of(sensor), "not an epoch opening");
            }
            // Fences that can be read are no sensor's, and are not decided here.
            case FENCE -> undecodable(Optional.of(sensor), "not a fence");
        };
    }

    private Decoded batch(SensorKey sensor, Stamp stamp, ByteBuffer body) {
        Optional<BatchHeader> read = BatchHeader.read(body);
        if (read.isEmpty()) {
            return undecodable(Optional.of(sensor), "shorter than a BATCH header");
        }
        BatchHeader header = read.get();
        String wrong = wrongIn(header, body, stamp);
        if (wrong != null) {
            return new Decoded.Undecodable(Optional.of(sensor), header.epoch(), List.of(), wrong);
        }
        BlockDecoder.Result result = blocks.decode(header.codec(), body, (int) header.rawLength());
        if (result instanceof BlockDecoder.Result.Decoded decoded) {
            return walked(sensor, stamp, header, decoded.block());
        }
        String detail = result instanceof BlockDecoder.Result.TooLarge large
                ? large.detail()
                : ((BlockDecoder.Result.Corrupt) result).detail();
        return new Decoded.Undecodable(Optional.of(sensor), header.epoch(), List.of(), detail);
    }

    private static @Nullable String wrongIn(BatchHeader header, ByteBuffer block, Stamp stamp) {
        if (header.epoch() == 0) {
            return "epoch 0";
        }
        if (header.codec() != BatchHeader.CODEC_NONE && header.codec() != BatchHeader.CODEC_ZSTD) {
            return "unknown codec " + header.codec();
        }
        if (header.hasUnknownFlags()) {
            return "unknown flags " + header.flags();
        }
        if (header.rawLength() > Limits.MAX_BLOCK_BYTES) {
            return "raw_length " + header.rawLength();
        }
        for (int index : stamp.getDroppedIndexesList()) {
            if (index < 0 || index >= header.count()) {
                return "the stamp names an event that is not there";
            }
        }
        var crc = new CRC32C();
        crc.update(block.duplicate());
        return (int) crc.getValue() == header.crc32c() ? null : "crc32c differs";
    }

    private static Decoded walked(SensorKey sensor, Stamp stamp, BatchHeader header, ByteBuffer block) {
        var events = new EventCursor(block, header.count());
        boolean inRange = header.count() > 0;
        while (events.next()) {
            inRange &= events.seq() >= 1;
        }
        if (inRange && events.isComplete()) {
            return new Decoded.Batch(sensor, stamp, header, block);
        }
        return new Decoded.Undecodable(
                Optional.of(sensor), header.epoch(), readableSeqs(header, block), "the block does not hold its events");
    }

    /** What a torn block still names: its checksum is right, so the seqs are those that were sent. */
    private static List<SeqRange> readableSeqs(BatchHeader header, ByteBuffer block) {
        var seqs = new SeqRangeSet();
        var events = new EventCursor(block, header.count());
        while (events.next()) {
            if (events.seq() >= 1) {
                seqs.add(events.seq());
            }
        }
        return seqs.ranges();
    }

    private static Decoded undecodable(Optional<SensorKey> sensor, String detail) {
        return new Decoded.Undecodable(sensor, 0, List.of(), detail);
    }

    private static Optional<Stamp> stamp(byte @Nullable [] bytes) {
        try {
            return bytes == null ? Optional.empty() : Optional.of(Stamp.parseFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        }
    }

    private static Optional<EpochOpen> epochOpen(byte[] value) {
        try {
            return Optional.of(EpochOpen.parseFrom(value))
                    .filter(open -> open.getEpoch() != 0 && open.getClosedWatermark() >= 0);
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        }
    }

    /** The header `kind` as text, where it is a short ASCII name. */
    public static Optional<String> kindText(byte @Nullable [] kind) {
        if (kind == null || kind.length == 0 || kind.length > 32) {
            return Optional.empty();
        }
        for (byte b : kind) {
            if (b <= ' ') {
                return Optional.empty();
            }
        }
        return Optional.of(new String(kind, StandardCharsets.US_ASCII));
    }

    @Override
    public void close() {
        blocks.close();
    }
}
