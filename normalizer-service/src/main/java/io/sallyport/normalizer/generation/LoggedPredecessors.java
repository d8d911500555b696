package io.sallyport.normalizer.generation;

import io.sallyport.normalizer.streams.Predecessors;
import io.sallyport.proto.log.v1.Generations;
import java.util.function.BiConsumer;

/** By the topics `generations` and `normalizer-snapshots`. Any thread may call. */
public final class LoggedPredecessors implements Predecessors {
    private final String bootstrapServers;
    private final SnapshotReader snapshots;

    public LoggedPredecessors(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
        this.snapshots = new SnapshotReader(bootstrapServers);
    }

    @Override
    public void entries(int shard, long offset, BiConsumer<byte[], byte[]> each) {
        snapshots.entries(shard, offset, each);
    }

    @Override
    public boolean isWanted(int generation) {
        try (var log = new GenerationLog(bootstrapServers)) {
            Generations now = log.current();
            return generation == now.getLive()
                    || (now.hasReplay() && generation == now.getReplay().getGeneration());
        }
    }
}
