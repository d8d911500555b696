package io.sallyport.normalizer.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.proto.log.v1.Fence;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a generation is to a shard; kept in the shard's store.
 *
 * @param start where it began; without the snapshot, which it has loaded
 * @param complete whether it has decided every raw record since
 * @param snapshotMs when its state was copied last, by the clock of the machine that did it; 0 = never
 */
record Role(Phase phase, Incarnation.Start start, boolean complete, long snapshotMs) {
    /** Of the first generation, which has nothing to take over. */
    static final Role FIRST = new Role(Phase.LIVE, new Incarnation.Start(0, OptionalLong.empty(), 0, 0), true, 0);

    private static final byte[] FENCE = RawKind.FENCE.name().getBytes(StandardCharsets.US_ASCII);

    enum Phase {
        /** Derives what an older generation has decided before; its records are not current yet. */
        CATCHING_UP,
        LIVE,
        /** A newer generation decides from a fence on that was read: this one decides nothing any more. */
        FENCED
    }

    static Role begin(Incarnation.Start start) {
        return new Role(Phase.CATCHING_UP, start, true, 0);
    }

    /** The generation that a raw record is the fence of; empty where it is no readable fence. */
    static OptionalLong fencing(RawRecord raw) {
        if (!Arrays.equals(FENCE, raw.kind()) || raw.value() == null) {
            return OptionalLong.empty();
        }
        try {
            long generation =
                    Integer.toUnsignedLong(Fence.parseFrom(raw.value()).getGeneration());
            return generation == 0 ? OptionalLong.empty() : OptionalLong.of(generation);
        } catch (InvalidProtocolBufferException e) {
            return OptionalLong.empty();
        }
    }

    Role live() {
        return new Role(Phase.LIVE, start, complete, snapshotMs);
    }

    Role fenced() {
        return new Role(Phase.FENCED, start, complete, snapshotMs);
    }

    Role incomplete() {
        return new Role(phase, start, false, snapshotMs);
    }

    Role copied(long nowMs) {
        return new Role(phase, start, complete, nowMs);
    }

    static @Nullable Role decode(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        var in = ByteBuffer.wrap(bytes);
        Phase phase = Phase.values()[in.get()];
        var start = new Incarnation.Start(in.getLong(), OptionalLong.empty(), in.getLong(), in.getLong());
        return new Role(phase, start, in.get() != 0, in.getLong());
    }

    byte[] encode() {
        return ByteBuffer.allocate(34)
                .put((byte) phase.ordinal())
                .putLong(start.fromOffset())
                .putLong(start.structuredOffset())
                .putLong(start.sinceMs())
                .put((byte) (complete ? 1 : 0))
                .putLong(snapshotMs)
                .array();
    }
}
