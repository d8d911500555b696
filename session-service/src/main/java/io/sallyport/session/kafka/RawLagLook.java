package io.sallyport.session.kafka;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.session.core.RawRetention;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ReplicaInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/**
 * One look at how much of its retention each raw partition has used up. No record is read: the age of what waits is
 * found by asking the broker's time index which offset a fraction of the retention ago was, one fraction after the
 * other and only for partitions that passed the one before. That is one such request a look while all is well.
 */
final class RawLagLook {
    private static final double[] STEPS = {0.25, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1};

    private final Admin admin;
    private final String groups;
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final int timeoutMs;

    /**
     * @param used by partition, 0 … 1; by age it is the highest step that was passed
     * @param retentionMs of the topic; negative = not bounded by age
     */
    record Seen(double[] used, long retentionMs) {}

    /** Offsets of one partition: what is there, and from where on it waits. */
    private record Waiting(long start, long from, long end) {}

    /** @param groups what the names of the normalizer's consumer groups begin with: each of its generations has its own */
    RawLagLook(Admin admin, String groups, int partitions, int timeoutMs) {
        this.admin = admin;
        this.groups = groups;
        this.timeoutMs = timeoutMs;
        for (int partition = 0; partition < partitions; partition++) {
            this.partitions.add(new TopicPartition(Topics.RAW.name(), partition));
        }
    }

    Seen look() throws InterruptedException, ExecutionException, TimeoutException {
        Config config = await(admin.describeConfigs(List.of(resource())).all()).get(resource());
        long retentionMs = number(config, "retention.ms");
        long retentionBytes = number(config, "retention.bytes");
        Map<TopicPartition, Waiting> waiting = waiting();
        var used = new double[partitions.size()];
        waiting.forEach((partition, offsets) -> {
            if (offsets.from() < offsets.start()) {
                used[partition.partition()] = 1;
            }
        });
        if (retentionMs > 0) {
            byAge(waiting, retentionMs, used);
        }
        if (retentionBytes >= 0 && !waiting.isEmpty()) {
            byBytes(waiting, retentionBytes, used);
        }
        return new Seen(used, retentionMs);
    }

    /** Partitions in which something waits. */
    private Map<TopicPartition, Waiting> waiting() throws InterruptedException, ExecutionException, TimeoutException {
        // In this order a commit or a deletion in between makes the answer larger at most, and never a loss of none.
        Map<TopicPartition, ListOffsetsResultInfo> starts = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> committed = committed();
        Map<TopicPartition, ListOffsetsResultInfo> ends = offsets(partitions, OffsetSpec.latest());
        var waiting = new HashMap<TopicPartition, Waiting>();
        for (TopicPartition partition : partitions) {
            long start = offset(starts, partition);
            long end = offset(ends, partition);
            // A group that never committed begins with the oldest record that is there.
            long from = committed.getOrDefault(partition, start);
            if (from < end) {
                waiting.put(partition, new Waiting(start, from, end));
            }
        }
        return waiting;
    }

    /**
     * Next offset of the generation that serves. It is ahead of the others: one that was replaced stands still, and one that
     * derives records again is behind it until it takes over.
     */
    private Map<TopicPartition, Long> committed() throws InterruptedException, ExecutionException, TimeoutException {
        var asked = new HashMap<String, ListConsumerGroupOffsetsSpec>();
        for (GroupListing group :
                await(admin.listGroups(ListGroupsOptions.forConsumerGroups()).valid())) {
            if (group.groupId().startsWith(groups)) {
                asked.put(group.groupId(), new ListConsumerGroupOffsetsSpec().topicPartitions(partitions));
            }
        }
        var committed = new HashMap<TopicPartition, Long>();
        if (asked.isEmpty()) {
            return committed;
        }
        for (Map<TopicPartition, OffsetAndMetadata> offsets :
                await(admin.listConsumerGroupOffsets(asked).all()).values()) {
            offsets.forEach((partition, offset) -> {
                if (offset != null) {
                    committed.merge(partition, offset.offset(), Math::max);
                }
            });
        }
        return committed;
    }

    private void byAge(Map<TopicPartition, Waiting> waiting, long retentionMs, double[] used)
            throws InterruptedException, ExecutionException, TimeoutException {
        long nowMs = System.currentTimeMillis();
        Set<TopicPartition> asked = new HashSet<>(waiting.keySet());
        for (double step : STEPS) {
            if (asked.isEmpty()) {
                return;
            }
            long atMs = nowMs - (long) (step * retentionMs);
            Map<TopicPartition, ListOffsetsResultInfo> firstSince = offsets(asked, OffsetSpec.forTimestamp(atMs));
            asked.removeIf(partition -> {
                long first = offset(firstSince, partition);
                Waiting offsets = waiting.get(partition);
                // -1: nothing is as new as that, so everything that waits is older.
                boolean older = offsets != null && (first < 0 || offsets.from() < first);
                if (older) {
                    used[partition.partition()] = Math.max(used[partition.partition()], step);
                }
                return !older;
            });
        }
    }

    /** Records of one partition count as equally large. */
    private void byBytes(Map<TopicPartition, Waiting> waiting, long retentionBytes, double[] used)
            throws InterruptedException, ExecutionException, TimeoutException {
        Map<TopicPartition, Long> sizes = sizes();
        waiting.forEach((partition, offsets) -> {
            double part = (double) (offsets.end() - Math.max(offsets.start(), offsets.from()))
                    / Math.max(1, offsets.end() - offsets.start());
            long bytes = (long) (part * sizes.getOrDefault(partition, 0L));
            used[partition.partition()] =
                    Math.max(used[partition.partition()], RawRetention.usedByBytes(bytes, retentionBytes));
        });
    }

    private Map<TopicPartition, Long> sizes() throws InterruptedException, ExecutionException, TimeoutException {
        TopicDescription raw = await(
                        admin.describeTopics(List.of(Topics.RAW.name())).allTopicNames())
                .get(Topics.RAW.name());
        var brokers = new HashSet<Integer>();
        if (raw != null) {
            raw.partitions().stream()
                    .filter(info -> info.leader() != null)
                    .forEach(info -> brokers.add(info.leader().id()));
        }
        var sizes = new HashMap<TopicPartition, Long>();
        for (var dirs : await(admin.describeLogDirs(brokers).allDescriptions()).values()) {
            for (var dir : dirs.values()) {
                for (Map.Entry<TopicPartition, ReplicaInfo> replica :
                        dir.replicaInfos().entrySet()) {
                    if (!replica.getValue().isFuture()) {
                        sizes.merge(replica.getKey(), replica.getValue().size(), Math::max);
                    }
                }
            }
        }
        return sizes;
    }

    private Map<TopicPartition, ListOffsetsResultInfo> offsets(Iterable<TopicPartition> of, OffsetSpec spec)
            throws InterruptedException, ExecutionException, TimeoutException {
        var wanted = new HashMap<TopicPartition, OffsetSpec>();
        of.forEach(partition -> wanted.put(partition, spec));
        return await(admin.listOffsets(wanted).all());
    }

    private static long offset(Map<TopicPartition, ListOffsetsResultInfo> found, TopicPartition partition) {
        ListOffsetsResultInfo info = found.get(partition);
        if (info == null) {
            throw new IllegalStateException("no offset of " + partition);
        }
        return info.offset();
    }

    private static ConfigResource resource() {
        return new ConfigResource(ConfigResource.Type.TOPIC, Topics.RAW.name());
    }

    private static long number(@org.jspecify.annotations.Nullable Config config, String name) {
        var entry = config == null ? null : config.get(name);
        if (entry == null || entry.value() == null) {
            throw new IllegalStateException("no " + name + " of " + Topics.RAW.name());
        }
        return Long.parseLong(entry.value());
    }

    private <T> T await(KafkaFuture<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(timeoutMs, TimeUnit.MILLISECONDS);
    }
}
