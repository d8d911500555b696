package io.sallyport.normalizer.streams;

import com.google.protobuf.UnsafeByteOperations;
import io.sallyport.proto.log.v1.SnapshotChunk;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Copies the dedupe state of a shard, in chunks: what is remembered of sensors, not the proof. All chunks are written in the
 * task's transaction, with the offset that the state stands at; so there is a whole copy or none. An open transaction ends
 * soon, which bounds what a shard may hold to about a gigabyte.
 */
final class Snapshots {
    /** Less than a record may have, by the largest entry: the holes of one epoch. */
    static final int CHUNK_BYTES = 512 << 10;

    private Snapshots() {}

    /**
     * @param head shard, generation, offset and time of the copy
     * @param each gets the chunks in order
     */
    static void copy(KeyValueStore<Bytes, byte[]> store, SnapshotChunk head, Consumer<SnapshotChunk> each) {
        SnapshotChunk.Builder chunk = head.toBuilder();
        int bytes = 0;
        try (KeyValueIterator<Bytes, byte[]> entries =
                store.range(StoreKeys.FIRST_OF_SENSORS, StoreKeys.END_OF_SENSORS)) {
            while (entries.hasNext()) {
                KeyValue<Bytes, byte[]> entry = entries.next();
                int size = entry.key.get().length + entry.value.length;
                if (bytes > 0 && bytes + size > CHUNK_BYTES) {
                    each.accept(chunk.build());
                    chunk = head.toBuilder().setIndex(chunk.getIndex() + 1);
                    bytes = 0;
                }
                chunk.addEntries(SnapshotChunk.Entry.newBuilder()
                        .setKey(UnsafeByteOperations.unsafeWrap(entry.key.get()))
                        .setValue(UnsafeByteOperations.unsafeWrap(entry.value)));
                bytes += size;
            }
        }
        each.accept(chunk.setLast(true).build());
    }
}
