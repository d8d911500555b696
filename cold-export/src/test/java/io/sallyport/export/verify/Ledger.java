package io.sallyport.export.verify;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.export.checkpoint.LogTrees;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A shard as the normalizer would write it, for tests to do harm to. */
public final class Ledger {
    public static final String CELL = "test";
    public static final KeyPair PAIR = pair();
    public static final NoteKey KEY = NoteKey.of(CELL, PAIR.getPublic());

    final int shard;
    final int generation;
    public final List<StructuredRecord> records = new ArrayList<>();
    public final List<ProofSegment> segments = new ArrayList<>();
    private final LeafEncoder encoder = new LeafEncoder(new TreeHash());
    private final String salt;

    public Ledger(int shard, int generation, String salt) {
        this.shard = shard;
        this.generation = generation;
        this.salt = salt;
    }

    static KeyPair pair() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Records of two customers, every seventh a marker, and the segment that covers them. */
    public Ledger segment(int count) {
        int from = records.size();
        tail(count);
        var open = new OpenSegment(new TreeKey(CELL, shard, generation), segments.size(), from);
        for (StructuredRecord record : records.subList(from, from + count)) {
            open.add(
                    record.hasEvent()
                            ? record.getEvent().getCustomerId()
                            : record.getMarker().getCustomerId(),
                    encoder.leaf(record));
        }
        segments.add(open.close(new TreeHash()));
        return this;
    }

    /** Records that no segment covers yet. */
    Ledger tail(int count) {
        for (int i = 0; i < count; i++) {
            records.add(record(records.size()));
        }
        return this;
    }

    private StructuredRecord record(int pos) {
        var origin = Origin.newBuilder()
                .setShard(shard)
                .setGeneration(generation)
                .setPos(pos)
                .setRawPartition(shard)
                .setRawOffset(pos / 3)
                .setRawIndex(pos % 3);
        String customer = pos % 3 == 0 ? "globex" : "acme";
        if (pos % 7 == 6) {
            return StructuredRecord.newBuilder()
                    .setMarker(CoverageMarker.newBuilder()
                            .setCustomerId(customer)
                            .setSensorId("s-1")
                            .setEpoch(1)
                            .setReason(Reason.SENSOR_SKIP)
                            .setOrigin(origin))
                    .build();
        }
        return StructuredRecord.newBuilder()
                .setEvent(Envelope.newBuilder()
                        .setCustomerId(customer)
                        .setSensorId("s-1")
                        .setEpoch(1)
                        .setSeq(pos + 1)
                        .setEventType(4)
                        .setPayload(ByteString.copyFromUtf8(salt + " payload " + pos))
                        .setOrigin(origin))
                .build();
    }

    LogVerifier.Shard shard() {
        return new LogVerifier.Shard(shard, segments.iterator(), records.iterator());
    }

    public static Checkpoint checkpoint(Ledger... ledgers) {
        var trees = new LogTrees(CELL);
        for (Ledger ledger : ledgers) {
            for (ProofSegment segment : ledger.segments) {
                trees.add(segment, 1).ifPresent(why -> {
                    throw new IllegalStateException(why);
                });
            }
        }
        return trees.checkpoint(Optional.empty());
    }

    static Pin pin(Checkpoint checkpoint) {
        String note = SignedNote.sign(checkpoint.text(), KEY, PAIR.getPrivate());
        return Pin.parse(new Pin(KEY, checkpoint, note).text());
    }
}
