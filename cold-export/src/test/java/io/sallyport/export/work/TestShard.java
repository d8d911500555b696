package io.sallyport.export.work;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.Stage;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.proto.log.v1.Takeover;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** One shard's `structured` and `proof-segments` in memory, with holes between the offsets as transactions leave them. */
public final class TestShard {
    static final long NOW_US = 1_796_000_000_000_000L;

    /** A record of a topic. */
    public record Stored(long offset, byte[] value) {}

    private final TreeHash hash = new TreeHash();
    private final LeafEncoder encoder = new LeafEncoder(hash);
    private final int shard;
    private final int generation;
    private final List<Stored> structured;
    private final List<Stored> proof;
    private final List<StructuredRecord> records = new ArrayList<>();
    private final long[] beginning;
    private final long firstRaw;
    private long nextPos;
    private long nextIndex;
    private OpenSegment segment;

    public TestShard(int shard) {
        this(shard, 0, 0, new ArrayList<>(), new ArrayList<>(), new long[1]);
    }

    private TestShard(
            int shard, int generation, long firstRaw, List<Stored> structured, List<Stored> proof, long[] beginning) {
        this.beginning = beginning;
        this.firstRaw = firstRaw;
        this.shard = shard;
        this.generation = generation;
        this.structured = structured;
        this.proof = proof;
        this.segment = new OpenSegment(new TreeKey("test", shard, generation), 0, 0);
    }

    public int shard() {
        return shard;
    }

    /** Another generation in the same partitions. */
    public TestShard generation(int other) {
        return generation(other, 0);
    }

    /** Another generation that derives again from a raw record on. */
    TestShard generation(int other, long fromRaw) {
        return new TestShard(shard, other, fromRaw, structured, proof, beginning);
    }

    /** It takes over; each raw record has made seven rows so far. */
    void takeOver() {
        takeOver(true);
    }

    /**
     * @param complete false where raw records were lost before it derived them
     * @return the takeover as the topic `generations` tells it
     */
    Takeover takeOver(boolean complete) {
        Origin origin = origin();
        var takeover = GenerationRecord.newBuilder()
                .setFromOffset(firstRaw)
                .setToOffset(origin.getRawOffset())
                .setComplete(complete)
                .setStructuredOffset(1)
                .setAtUs(NOW_US)
                .setOrigin(origin);
        add(StructuredRecord.newBuilder().setGeneration(takeover).build(), "");
        return Takeover.newBuilder()
                .setGeneration(generation)
                .setShard(shard)
                .setFromOffset(complete ? firstRaw : origin.getRawOffset())
                .setToOffset(origin.getRawOffset())
                .setIncomplete(!complete)
                .build();
    }

    public static Envelope.Builder event(String customer, String sensor, long seq) {
        return Envelope.newBuilder()
                .setCustomerId(customer)
                .setSensorId(sensor)
                .setEpoch(1)
                .setSeq(seq)
                .setEventType(4)
                .setPayloadSchema(1)
                .setEventTsUs(NOW_US - 1_000 + seq)
                .setIngestTsUs(NOW_US)
                .setPayload(ByteString.copyFromUtf8("payload of " + sensor + " " + seq));
    }

    public static CoverageMarker.Builder gap(String customer, String sensor, long from, long to) {
        return CoverageMarker.newBuilder()
                .setCustomerId(customer)
                .setSensorId(sensor)
                .setEpoch(1)
                .setCount(to - from + 1)
                .setStage(Stage.STAGE_NORMALIZER)
                .setReason(Reason.GAP)
                .setDetail("renumbered")
                .setAtUs(NOW_US)
                .addRanges(SeqRange.newBuilder().setFrom(from).setTo(to));
    }

    public void add(Envelope.Builder event) {
        add(StructuredRecord.newBuilder().setEvent(event.setOrigin(origin())).build(), event.getCustomerId());
    }

    public void add(CoverageMarker.Builder marker) {
        add(StructuredRecord.newBuilder().setMarker(marker.setOrigin(origin())).build(), marker.getCustomerId());
    }

    private Origin origin() {
        return Origin.newBuilder()
                .setShard(shard)
                .setGeneration(generation)
                .setPos(nextPos)
                .setRawPartition(shard)
                .setRawOffset(firstRaw + nextPos / 7)
                .setRawIndex((int) (nextPos % 7))
                .build();
    }

    private void add(StructuredRecord record, String customer) {
        structured.add(new Stored(structured.isEmpty() ? 3 : last(structured) + 1 + nextPos % 3, record.toByteArray()));
        records.add(record);
        segment.add(customer, encoder.leaf(record));
        nextPos++;
        if (segment.isFull()) {
            close();
        }
    }

    /** Ends the open segment. */
    public void close() {
        if (segment.count() == 0) {
            return;
        }
        ProofSegment closed = segment.close(hash);
        proof.add(new Stored(proof.isEmpty() ? 2 * nextIndex : last(proof) + 2, closed.toByteArray()));
        nextIndex++;
        segment = new OpenSegment(new TreeKey("test", shard, generation), nextIndex, nextPos);
    }

    /** As many records of some sensors of two customers, in segments of different lengths. */
    public void addSome(Random random, int count) {
        for (int i = 0; i < count; i++) {
            String customer = random.nextInt(3) == 0 ? "globex" : "acme";
            String sensor = "s-" + random.nextInt(4);
            if (random.nextInt(10) == 0) {
                add(gap(customer, sensor, nextPos + 1, nextPos + 5));
            } else {
                add(event(customer, sensor, nextPos + 1)
                        .setIngestTsUs(NOW_US + random.nextInt(2) * 86_400_000_000L)
                        .setReplay(random.nextBoolean()));
            }
            if (random.nextInt(5) == 0) {
                close();
            }
        }
        close();
    }

    private static long last(List<Stored> topic) {
        return topic.get(topic.size() - 1).offset();
    }

    /** All records, by pos. */
    public List<StructuredRecord> records() {
        return records;
    }

    public List<Stored> structured() {
        return structured;
    }

    public List<Stored> proof() {
        return proof;
    }

    /** Somebody else writes a row, which no segment gets. */
    void intrude(Envelope.Builder event, long otherGeneration, long pos) {
        Origin origin = origin().toBuilder()
                .setGeneration((int) otherGeneration)
                .setPos(pos)
                .build();
        append(StructuredRecord.newBuilder().setEvent(event.setOrigin(origin)).build());
    }

    /** A record stands a second time in the log. */
    void repeat(int index) {
        append(records.get(index));
    }

    private void append(StructuredRecord record) {
        structured.add(new Stored(structured.isEmpty() ? 3 : last(structured) + 1, record.toByteArray()));
    }

    /** First offset that the log has. */
    long beginning() {
        return beginning[0];
    }

    /** Retention takes the records below an offset. */
    public void trim(long offset) {
        beginning[0] = structured.isEmpty() ? offset : Math.min(offset, last(structured) + 1);
        structured.removeIf(stored -> stored.offset() < offset);
    }
}
