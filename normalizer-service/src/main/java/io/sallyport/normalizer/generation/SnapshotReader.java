package io.sallyport.normalizer.generation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.SnapshotChunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Reads `normalizer-snapshots`. Each call has a consumer of its own, so any thread may call. */
public final class SnapshotReader {
    private final String bootstrapServers;

    /**
     * A snapshot with all its chunks.
     *
     * @param offset of its first chunk
     * @param generation u32
     * @param rawOffset last raw record that it has in it
     */
    public record Snapshot(long offset, long generation, long rawOffset, long takenMs) {}

    public SnapshotReader(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    /**
     * Gives every entry of a snapshot.
     *
     * @param offset of its first chunk
     * @throws IllegalStateException where it is not there, or not complete
     */
    public void entries(int shard, long offset, BiConsumer<byte[], byte[]> each) {
        try (var reader = reader()) {
            int index = 0;
            for (ConsumerRecord<byte[], byte[]> record :
                    reader.from(partition(shard), offset).toEnd()) {
                SnapshotChunk chunk = chunk(record);
                if (chunk.getIndex() != index || (index == 0 && record.offset() != offset)) {
                    throw new IllegalStateException("no snapshot of shard " + shard + " at offset " + offset);
                }
                for (SnapshotChunk.Entry entry : chunk.getEntriesList()) {
                    each.accept(entry.getKey().toByteArray(), entry.getValue().toByteArray());
                }
                if (chunk.getLast()) {
                    return;
                }
                index++;
            }
            throw new IllegalStateException("the snapshot of shard " + shard + " at offset " + offset + " has no end");
        }
    }

    /** Snapshots of a shard that are complete, oldest first. */
    public List<Snapshot> list(int shard) {
        var found = new ArrayList<Snapshot>();
        try (var reader = reader()) {
            Begun begun = null;
            for (ConsumerRecord<byte[], byte[]> record :
                    reader.fromBeginning(List.of(partition(shard))).toEnd()) {
                SnapshotChunk chunk = chunk(record);
                begun = chunk.getIndex() == 0 ? new Begun(record.offset(), chunk, 0) : Begun.follow(begun, chunk);
                if (begun != null && chunk.getLast()) {
                    found.add(begun.snapshot());
                    begun = null;
                }
            }
        }
        return found;
    }

    /** A snapshot whose end was not read yet. */
    private record Begun(long offset, SnapshotChunk first, int index) {
        static @Nullable Begun follow(@Nullable Begun begun, SnapshotChunk chunk) {
            return Optional.ofNullable(begun)
                    .filter(before -> chunk.getIndex() == before.index + 1
                            && chunk.getRawOffset() == before.first.getRawOffset()
                            && chunk.getGeneration() == before.first.getGeneration())
                    .map(before -> new Begun(before.offset, before.first, chunk.getIndex()))
                    .orElse(null);
        }

        Snapshot snapshot() {
            return new Snapshot(
                    offset, Integer.toUnsignedLong(first.getGeneration()), first.getRawOffset(), first.getTakenMs());
        }
    }

    private static SnapshotChunk chunk(ConsumerRecord<byte[], byte[]> record) {
        try {
            return SnapshotChunk.parseFrom(record.value() == null ? new byte[0] : record.value());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(
                    "no part of a snapshot at partition " + record.partition() + " offset " + record.offset(), e);
        }
    }

    private static TopicPartition partition(int shard) {
        return new TopicPartition(Topics.NORMALIZER_SNAPSHOTS.name(), shard);
    }

    private CommittedReader reader() {
        return new CommittedReader(bootstrapServers, "sallyport-snapshots");
    }
}
