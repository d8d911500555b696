package io.sallyport.normalizer.core;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.envelope.watermark.SeqRangeSet;
import io.sallyport.proto.normalizer.v1.EpochState;
import io.sallyport.proto.normalizer.v1.Hole;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An epoch's ledger as a value of the store. Numbers stand as distances, since neighbours lie close together. */
final class LedgerCodec {
    private LedgerCodec() {}

    /** The ledger under {@code stored}, or an empty one. */
    static EpochLedger decode(long epoch, byte @Nullable [] stored, SensorStore store) {
        EpochState state;
        try {
            state = stored == null ? EpochState.getDefaultInstance() : EpochState.parseFrom(stored);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the state store holds something that is no epoch state", e);
        }
        return new EpochLedger(
                epoch,
                new Holes(state.getTop(), holes(state)),
                new DeclaredRanges(declared(state)),
                new HashWindow(epoch, store, chunks(state)));
    }

    static byte[] encode(EpochLedger ledger) {
        var state = EpochState.newBuilder().setTop(ledger.holes().top());
        long end = 0;
        for (Holes.Hole hole : ledger.holes().list()) {
            state.addHoles(Hole.newBuilder()
                    .setGap(hole.from() - 1 - end)
                    .setLength(hole.to() - hole.from() + 1)
                    .setTouchedMs(hole.touchedMs())
                    .setReported(hole.reported()));
            end = hole.to();
        }
        end = 0;
        for (SeqRange range : ledger.declared().list()) {
            state.addDeclared(range.from() - end).addDeclared(range.count());
            end = range.to();
        }
        long index = 0;
        for (var chunk : ledger.hashes().counts().entrySet()) {
            state.addHashChunks(chunk.getKey() - index).addHashChunks(chunk.getValue());
            index = chunk.getKey();
        }
        return state.build().toByteArray();
    }

    private static List<Holes.Hole> holes(EpochState state) {
        var holes = new ArrayList<Holes.Hole>(state.getHolesCount());
        long end = 0;
        for (Hole hole : state.getHolesList()) {
            long from = end + hole.getGap() + 1;
            end = from - 1 + hole.getLength();
            holes.add(new Holes.Hole(from, end, hole.getTouchedMs(), hole.getReported()));
        }
        return holes;
    }

    private static SeqRangeSet declared(EpochState state) {
        var declared = new SeqRangeSet();
        long end = 0;
        for (int i = 0; i < state.getDeclaredCount(); i += 2) {
            long from = end + state.getDeclared(i);
            end = from - 1 + state.getDeclared(i + 1);
            declared.add(from, end);
        }
        return declared;
    }

    private static SortedMap<Long, Integer> chunks(EpochState state) {
        var chunks = new TreeMap<Long, Integer>();
        long index = 0;
        for (int i = 0; i < state.getHashChunksCount(); i += 2) {
            index += state.getHashChunks(i);
            chunks.put(index, (int) state.getHashChunks(i + 1));
        }
        return chunks;
    }
}
