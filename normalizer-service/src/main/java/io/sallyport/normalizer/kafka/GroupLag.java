package io.sallyport.normalizer.kafka;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.metrics.GroupMeters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches every consumer group that commits to `raw` or `structured`, whosever it is: how much of the topic's retention
 * what it has not read yet has used up, 0 … 1, the worst of its partitions; 1 = records it did not read are gone.
 *
 * <p>No record is read. The broker's time index is asked which offset each {@link #STEPS step} of the retention ago was,
 * once for all groups; so a look costs a fixed number of requests for the topics, and one for the groups' offsets, of
 * which at most {@link GroupMeters#MAX_GROUPS} are watched, in the order of their names.
 */
public final class GroupLag implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupLag.class);
    private static final double[] STEPS = {0.1, 0.25, 0.5, 0.65, 0.8, 0.9, 1};
    private static final long TIMEOUT_MS = 20_000;

    private final Admin admin;
    private final GroupMeters meters;
    private final long everyMs;
    private final Map<TopicSpec<?>, List<TopicPartition>> watched = new HashMap<>();
    private final ScheduledExecutorService timer;

    /** Offsets of one partition: the oldest, the end, and for each step the first that is as new as that or newer. */
    private record Marks(long start, long end, long[] firstSince) {
        double used(long from) {
            if (from >= end) {
                return 0;
            }
            if (from < start) {
                return 1;
            }
            double used = 0;
            for (int step = 0; step < STEPS.length; step++) {
                // -1: nothing is as new as that, so everything that waits is older.
                if (firstSince[step] < 0 || from < firstSince[step]) {
                    used = STEPS[step];
                }
            }
            return used;
        }
    }

    public GroupLag(String bootstrapServers, TopicSizing sizing, GroupMeters meters, long everyMs) {
        this.admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                AdminClientConfig.CLIENT_ID_CONFIG,
                "sallyport-group-lag"));
        this.meters = meters;
        this.everyMs = everyMs;
        for (TopicSpec<?> topic : List.of(Topics.RAW, Topics.STRUCTURED)) {
            var partitions = new ArrayList<TopicPartition>();
            for (int partition = 0; partition < topic.partitions(sizing); partition++) {
                partitions.add(new TopicPartition(topic.name(), partition));
            }
            watched.put(topic, partitions);
        }
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            var thread = new Thread(task, "group-lag");
            thread.setDaemon(true);
            return thread;
        });
    }

    public void start() {
        timer.scheduleWithFixedDelay(this::look, everyMs, everyMs, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            List<String> groups = groups();
            Map<GroupMeters.Reading, Double> used = new HashMap<>();
            for (Map.Entry<TopicSpec<?>, List<TopicPartition>> topic : watched.entrySet()) {
                // The offsets of groups first: a commit in between makes the answer larger at most.
                Map<String, Map<TopicPartition, OffsetAndMetadata>> committed = committed(groups, topic.getValue());
                if (committed.values().stream().allMatch(Map::isEmpty)) {
                    continue;
                }
                Map<TopicPartition, Marks> marks = marks(topic.getKey(), topic.getValue());
                committed.forEach((group, offsets) -> offsets.forEach((partition, offset) -> {
                    Marks of = marks.get(partition);
                    if (offset != null && of != null) {
                        used.merge(
                                new GroupMeters.Reading(group, partition.topic()), of.used(offset.offset()), Math::max);
                    }
                }));
            }
            meters.seen(used);
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            LOG.warn(
                    "the offsets of consumer groups are not known now: {}",
                    e.getClass().getSimpleName());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> groups() throws InterruptedException, ExecutionException, TimeoutException {
        List<String> names = await(
                        admin.listGroups(ListGroupsOptions.forConsumerGroups()).all())
                .stream()
                .map(listing -> listing.groupId())
                .sorted()
                .toList();
        meters.unwatched(Math.max(0, names.size() - GroupMeters.MAX_GROUPS));
        return names.subList(0, Math.min(names.size(), GroupMeters.MAX_GROUPS));
    }

    private Map<String, Map<TopicPartition, OffsetAndMetadata>> committed(
            List<String> groups, List<TopicPartition> partitions)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (groups.isEmpty()) {
            return Map.of();
        }
        var specs = new HashMap<String, ListConsumerGroupOffsetsSpec>();
        groups.forEach(group -> specs.put(group, new ListConsumerGroupOffsetsSpec().topicPartitions(partitions)));
        var result = admin.listConsumerGroupOffsets(specs);
        var committed = new HashMap<String, Map<TopicPartition, OffsetAndMetadata>>();
        for (String group : groups) {
            var offsets = new HashMap<>(await(result.partitionsToOffsetAndMetadata(group)));
            offsets.values().removeIf(java.util.Objects::isNull);
            committed.put(group, offsets);
        }
        return committed;
    }

    private Map<TopicPartition, Marks> marks(TopicSpec<?> topic, List<TopicPartition> partitions)
            throws InterruptedException, ExecutionException, TimeoutException {
        long retentionMs = retentionMs(topic);
        long nowMs = System.currentTimeMillis();
        Map<TopicPartition, Long> starts = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
        var since = new ArrayList<Map<TopicPartition, Long>>();
        for (double step : STEPS) {
            since.add(
                    retentionMs <= 0
                            ? starts
                            : offsets(partitions, OffsetSpec.forTimestamp(nowMs - (long) (step * retentionMs))));
        }
        var marks = new HashMap<TopicPartition, Marks>();
        for (TopicPartition partition : partitions) {
            long[] firstSince = since.stream()
                    .mapToLong(found -> found.getOrDefault(partition, 0L))
                    .toArray();
            marks.put(
                    partition,
                    new Marks(starts.getOrDefault(partition, 0L), ends.getOrDefault(partition, 0L), firstSince));
        }
        return marks;
    }

    private long retentionMs(TopicSpec<?> topic) throws InterruptedException, ExecutionException, TimeoutException {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
        Config config = await(admin.describeConfigs(List.of(resource)).all()).get(resource);
        var entry = config == null ? null : config.get("retention.ms");
        return entry == null || entry.value() == null ? topic.retention().toMillis() : Long.parseLong(entry.value());
    }

    private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec spec)
            throws InterruptedException, ExecutionException, TimeoutException {
        var wanted = new HashMap<TopicPartition, OffsetSpec>();
        partitions.forEach(partition -> wanted.put(partition, spec));
        var offsets = new HashMap<TopicPartition, Long>();
        await(admin.listOffsets(wanted).all()).forEach((partition, found) -> offsets.put(partition, found.offset()));
        return offsets;
    }

    private static <T> T await(KafkaFuture<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
        admin.close(java.time.Duration.ofSeconds(1));
    }
}
