package io.sallyport.consumer.kafka;

import io.sallyport.consumer.RecordHandler;
import io.sallyport.consumer.core.ShardProgress;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shards that this member has, and what of them is committed. Used by the consumer's thread alone, in its polls and between. */
final class Shards implements ConsumerRebalanceListener {
    private static final Logger LOG = LoggerFactory.getLogger(Shards.class);

    private final Consumer<byte[], byte[]> consumer;
    private final KnownTakeovers takeovers;
    private final RecordHandler handler;
    private final Map<TopicPartition, Shard> shards = new HashMap<>();

    Shards(Consumer<byte[], byte[]> consumer, KnownTakeovers takeovers, RecordHandler handler) {
        this.consumer = consumer;
        this.takeovers = takeovers;
        this.handler = handler;
    }

    Shard of(TopicPartition partition) {
        Shard shard = shards.get(partition);
        if (shard == null) {
            throw new IllegalStateException(partition + " is not this member's");
        }
        return shard;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        if (partitions.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(new HashSet<>(partitions));
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata at = committed.get(partition);
            shards.put(partition, at == null ? beginning(partition, null) : goingOn(partition, at));
            if (at == null) {
                consumer.seekToBeginning(List.of(partition));
            } else {
                consumer.seek(partition, at);
            }
            handler.assigned(partition.partition());
        }
    }

    private static Shard beginning(TopicPartition partition, @Nullable OffsetAndMetadata at) {
        var shard = new Shard(partition, ShardProgress.beginning(), at);
        // The group may be older than what the brokers remember of it.
        shard.forgetTakeovers();
        return shard;
    }

    private static Shard goingOn(TopicPartition partition, OffsetAndMetadata at) {
        try {
            return new Shard(partition, ShardProgress.of(at.metadata()), at);
        } catch (IllegalArgumentException e) {
            // A tool has set the group's offsets: what stands before them is not known, and need not be.
            LOG.info("{} begins at offset {}: {}", partition, at.offset(), e.getMessage());
            return beginning(partition, at);
        }
    }

    boolean has(TopicPartition partition) {
        return shards.containsKey(partition);
    }

    /** Shards with takeovers that the handler was not told of. */
    List<Shard> untold() {
        return shards.values().stream().filter(Shard::hasUntold).toList();
    }

    /** Reads what has taken over, as it is known beside the log, where that must be known first. */
    void learn(Shard shard) {
        if (shard.isUnlearned()) {
            shard.learn(takeovers.read(shard.partition().partition()));
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        commit(partitions);
        onPartitionsLost(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            if (shards.remove(partition) != null) {
                handler.revoked(partition.partition());
            }
        }
    }

    void forget() {
        shards.clear();
    }

    void resumeDue(long nowMs) {
        shards.values().forEach(shard -> shard.resumeIfDue(consumer, nowMs));
    }

    /** Commits what was handled; what cannot be committed now comes again, here or at another member. */
    void commit() {
        commit(List.copyOf(shards.keySet()));
    }

    private void commit(Collection<TopicPartition> partitions) {
        var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
        for (TopicPartition partition : partitions) {
            Shard shard = shards.get(partition);
            if (shard != null) {
                OffsetAndMetadata offset = shard.toCommit(consumer.position(partition));
                if (offset != null) {
                    offsets.put(partition, offset);
                }
            }
        }
        if (offsets.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(offsets);
            offsets.forEach((partition, offset) -> of(partition).committed(offset));
        } catch (CommitFailedException | RebalanceInProgressException | RetriableException e) {
            LOG.info("positions cannot be committed now: {}", e.toString());
        }
    }

    /** For how long the oldest record that waits has waited, as far as is known: 0 where none does. */
    long oldestWaitingMs(long nowMs) {
        long oldest = 0;
        for (Shard shard : shards.values()) {
            OptionalLong lag = consumer.currentLag(shard.partition());
            OptionalLong appendedMs = shard.appendedMs();
            if (lag.isPresent() && lag.getAsLong() > 0 && appendedMs.isPresent()) {
                oldest = Math.max(oldest, nowMs - appendedMs.getAsLong());
            }
        }
        return oldest;
    }
}
