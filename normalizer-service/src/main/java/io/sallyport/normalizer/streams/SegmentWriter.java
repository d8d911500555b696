package io.sallyport.normalizer.streams;

import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.proto.log.v1.ProofSegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Adds the leaves of one raw record to the open segment of its shard, which stays in the store until it is closed: what an
 * aborted transaction wrote, it takes back. A raw record costs one entry of the store; the entries of a closed segment are
 * written over by the next one, which spares their tombstones.
 */
final class SegmentWriter {
    private final KeyValueStore<Bytes, byte[]> store;
    private final TreeHash hash;
    private final TreeKey tree;
    private final Consumer<ProofSegment> closed;
    private final List<Leaf> added = new ArrayList<>();
    private Cursor.Open open;
    private long nextPos;

    private record Leaf(
            String customerId,
            @SuppressWarnings("ArrayRecordComponent") byte[] hash) {}

    /** @param closed gets each segment that is full, or that {@link #close} ends */
    SegmentWriter(
            KeyValueStore<Bytes, byte[]> store,
            TreeHash hash,
            TreeKey tree,
            Cursor cursor,
            Consumer<ProofSegment> closed) {
        this.store = store;
        this.hash = hash;
        this.tree = tree;
        this.open = cursor.open();
        this.nextPos = cursor.nextPos();
        this.closed = closed;
    }

    /** `pos` of the next record. */
    long nextPos() {
        return nextPos;
    }

    /** Adds the record at {@link #nextPos}. */
    void add(String customerId, byte[] leaf) {
        added.add(new Leaf(customerId, leaf));
        nextPos++;
        if (open.leaves() + added.size() == OpenSegment.MAX_LEAVES) {
            close();
        }
    }

    /** Ends the segment, if it has leaves. */
    void close() {
        int leaves = open.leaves() + added.size();
        if (leaves == 0) {
            return;
        }
        var segment = new OpenSegment(tree, open.index(), nextPos - leaves);
        for (int chunk = 0; chunk < open.chunks(); chunk++) {
            byte[] bytes = store.get(StoreKeys.leaves(tree.shard(), chunk));
            if (bytes == null) {
                throw new IllegalStateException("the store lost leaves of the open segment");
            }
            decode(bytes, segment);
        }
        added.forEach(leaf -> segment.add(leaf.customerId(), leaf.hash()));
        added.clear();
        open = Cursor.Open.empty(open.index() + 1);
        closed.accept(segment.close(hash));
    }

    /**
     * Stores what was added.
     *
     * @param nowMs clock of this machine
     * @return the open segment, to be kept with the cursor
     */
    Cursor.Open finish(long nowMs) {
        if (!added.isEmpty()) {
            store.put(StoreKeys.leaves(tree.shard(), open.chunks()), encode());
            open = new Cursor.Open(
                    open.index(),
                    open.leaves() + added.size(),
                    open.chunks() + 1,
                    open.leaves() == 0 ? nowMs : open.sinceMs());
            added.clear();
        }
        return open;
    }

    /** Runs of one customer: u16 length of its id, the id, u32 leaves, the leaves. */
    private byte[] encode() {
        var runs = new ArrayList<List<Leaf>>();
        int bytes = 0;
        for (Leaf leaf : added) {
            List<Leaf> run = runs.isEmpty() ? List.of() : runs.get(runs.size() - 1);
            if (run.isEmpty() || !run.get(0).customerId().equals(leaf.customerId())) {
                run = new ArrayList<>();
                runs.add(run);
                bytes += 2 + leaf.customerId().getBytes(StandardCharsets.UTF_8).length + 4;
            }
            run.add(leaf);
            bytes += TreeHash.BYTES;
        }
        var out = ByteBuffer.allocate(bytes);
        for (List<Leaf> run : runs) {
            byte[] customer = run.get(0).customerId().getBytes(StandardCharsets.UTF_8);
            out.putShort((short) customer.length).put(customer).putInt(run.size());
            run.forEach(leaf -> out.put(leaf.hash()));
        }
        return out.array();
    }

    private static void decode(byte[] bytes, OpenSegment segment) {
        var in = ByteBuffer.wrap(bytes);
        while (in.hasRemaining()) {
            var customer = new byte[in.getShort()];
            in.get(customer);
            String customerId = new String(customer, StandardCharsets.UTF_8);
            for (int left = in.getInt(); left > 0; left--) {
                var leaf = new byte[TreeHash.BYTES];
                in.get(leaf);
                segment.add(customerId, leaf);
            }
        }
    }
}
