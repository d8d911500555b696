package io.sallyport.normalizer.replay;

import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.generation.SnapshotReader;
import io.sallyport.normalizer.generation.SnapshotReader.Snapshot;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.ShardStart;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.OffsetSpec;

/**
 * Where a replay begins: in each shard behind the newest snapshot that was taken at or before its time, by a generation that
 * still counts for it. A snapshot's time is when its state was reached, so whatever was decided since is derived again,
 * however old it is. Without one, at the beginning of `raw`, if nothing was ever cut from it.
 */
final class Beginnings {
    private final Cell cell;
    private final SnapshotReader snapshots;

    Beginnings(Cell cell, SnapshotReader snapshots) {
        this.cell = cell;
        this.snapshots = snapshots;
    }

    /** @throws ReplayRefusedException where a shard has no beginning for this time */
    List<ShardStart> find(Instant from, Generations generations) throws InterruptedException {
        Map<Integer, Long> structured = cell.offsets(Topics.STRUCTURED, OffsetSpec.latest());
        Map<Integer, Long> earliest = cell.offsets(Topics.RAW, OffsetSpec.earliest());
        var starts = new ArrayList<ShardStart>();
        for (int shard = 0; shard < earliest.size(); shard++) {
            starts.add(find(shard, from, generations, earliest.getOrDefault(shard, 0L)).toBuilder()
                    .setShard(shard)
                    .setStructuredOffset(structured.getOrDefault(shard, 0L))
                    .build());
        }
        return starts;
    }

    private ShardStart find(int shard, Instant from, Generations generations, long earliest) {
        CurrentRecords current = current(generations, shard);
        List<Snapshot> usable = snapshots.list(shard).stream()
                .filter(snapshot -> snapshot.rawOffset() + 1 >= earliest)
                .filter(snapshot ->
                        current.of(snapshot.generation(), snapshot.rawOffset()) == CurrentRecords.Standing.CURRENT)
                .toList();
        Snapshot newest = null;
        for (Snapshot snapshot : usable) {
            if (snapshot.takenMs() <= from.toEpochMilli()
                    && (newest == null || snapshot.rawOffset() >= newest.rawOffset())) {
                newest = snapshot;
            }
        }
        if (newest != null) {
            return ShardStart.newBuilder()
                    .setFromOffset(newest.rawOffset() + 1)
                    .setSnapshotOffset(newest.offset())
                    .setSinceMs(newest.takenMs())
                    .build();
        }
        if (earliest == 0) {
            return ShardStart.getDefaultInstance();
        }
        throw new ReplayRefusedException("shard " + shard + " cannot be derived again from " + from
                + ": no snapshot of its state is that old and has the record after it still in raw; "
                + usable.stream()
                        .map(Snapshot::takenMs)
                        .min(Long::compare)
                        .map(ms -> "the oldest is of " + Instant.ofEpochMilli(ms))
                        .orElse("there is none yet"));
    }

    static CurrentRecords current(Generations generations, int shard) {
        return new CurrentRecords(generations.getTakeoversList().stream()
                .filter(takeover -> takeover.getShard() == shard)
                .map(ShardTakeover::of)
                .toList());
    }
}
