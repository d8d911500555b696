package io.sallyport.export.kafka;

import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.core.Position;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.export.work.ShardExport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the shards that the consumer group gives it and exports them, one at a time. The group only spares work: that two
 * workers hold one shard for a while, or that this one was stopped for hours, is what the manifests are right about.
 *
 * <p>A shard that fails is left alone for a while and opened anew; the others go on. {@link #run} belongs to one thread.
 */
public final class ExportWorker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ExportWorker.class);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration POLL_AFTER_FAILURE = Duration.ofSeconds(1);
    /** The group hears of this worker between rounds; a range on top of this stays far below its patience. */
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Shards factory;
    private final LogEnds ends;
    private final GenerationsTopic generations;
    private final ExportMetrics metrics;
    private final WorkerLimits limits;
    private final Map<Integer, ReadShard> shards = new TreeMap<>();
    private final Map<Integer, Long> retryAt = new HashMap<>();
    private final Set<Integer> assigned = new HashSet<>();
    private final ConcurrentLinkedQueue<ExportNow> requests = new ConcurrentLinkedQueue<>();
    private KnownGenerations known = KnownGenerations.FIRST;
    private int turn;
    private volatile boolean stopped;
    private volatile boolean failing;

    /** Opens what works on a shard. */
    public interface Shards {
        ShardExport open(int shard) throws IOException;

        /** Does the next thing there is to do besides exporting; true where the shard has a new version. */
        boolean maintain(int shard) throws IOException;
    }

    public ExportWorker(
            Map<String, Object> consumerSettings,
            Shards factory,
            LogEnds ends,
            ExportMetrics metrics,
            WorkerLimits limits) {
        this.consumer = new KafkaConsumer<>(consumerSettings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.factory = factory;
        this.ends = ends;
        this.generations = new GenerationsTopic(String.valueOf(consumerSettings.get("bootstrap.servers")));
        this.metrics = metrics;
        this.limits = limits;
    }

    /** Exports what is in the log now. */
    public void request(ExportNow now) {
        requests.add(now);
        if (stopped) {
            now.end();
        }
    }

    /** Whether every shard of this worker could be worked on lately. */
    public boolean isFailing() {
        return failing;
    }

    @Override
    public void run() {
        try {
            consumer.subscribe(List.of(Topics.STRUCTURED.name(), Topics.PROOF_SEGMENTS.name()), new Assignment());
            while (!stopped) {
                try {
                    round();
                } catch (WakeupException e) {
                    continue;
                } catch (KafkaException e) {
                    // The client mends what can be mended; what it throws is tried again.
                    LOG.warn("reading the log failed", e);
                    failing = true;
                    TimeUnit.MILLISECONDS.sleep(POLL_AFTER_FAILURE.toMillis());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            shards.keySet().stream().toList().forEach(this::drop);
            consumer.close();
            generations.close();
            for (ExportNow now = requests.poll(); now != null; now = requests.poll()) {
                now.end();
            }
        }
    }

    private void round() {
        known = generations.current();
        openShards();
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
            each(record.partition(), shard -> shard.take(record));
        }
        spill();
        ExportNow now = requests.peek();
        if (now != null) {
            now.begin(consumer, assigned);
        }
        long endNanos = System.nanoTime() + ROUND_NANOS;
        for (int number : inTurn()) {
            each(number, shard -> work(shard, now));
            if (System.nanoTime() - endNanos > 0) {
                turn = number + 1;
                break;
            }
        }
        if (now != null && now.isDone(assigned, System.nanoTime())) {
            requests.remove(now);
        }
        failing = !retryAt.isEmpty();
    }

    /** All shards, beginning with the one whose turn it is: where there is more to do than a round has time for. */
    private List<Integer> inTurn() {
        var order = new ArrayList<>(shards.keySet());
        int first = 0;
        while (first < order.size() && order.get(first) < turn) {
            first++;
        }
        Collections.rotate(order, -first);
        return order;
    }

    private void work(ReadShard shard, @Nullable ExportNow now) throws IOException {
        long nowMs = System.currentTimeMillis();
        lag(shard, nowMs);
        shard.balance(consumer);
        shard.follow(known, generations.unchangedNanos() >= limits.settleNanos(), ends, consumer);
        shard.disown(generations.readNanos());
        if (shard.isStuck(System.nanoTime()) && ends.nothingPendingBehind(shard.structured(), position(shard))) {
            shard.export().rowsEnded();
        }
        if (shard.export().wantsBeginning()) {
            shard.export()
                    .beginsAt(consumer.beginningOffsets(List.of(shard.structured()))
                            .getOrDefault(shard.structured(), 0L));
        }
        boolean wanted = shard.isCutNow() || (now != null && now.isReady(shard, consumer));
        if (shard.export().isDue(nowMs, shard.isCaughtUp(consumer), wanted)) {
            finish(shard, now);
        } else if (now != null) {
            now.passed(shard, consumer);
        } else if (shard.isMaintenanceDue(System.nanoTime(), limits.maintenanceNanos())
                && !factory.maintain(shard.export().shard())) {
            shard.maintained(System.nanoTime());
        }
    }

    private long position(ReadShard shard) {
        return consumer.position(shard.structured());
    }

    private void finish(ReadShard shard, @Nullable ExportNow now) throws IOException {
        long begin = System.nanoTime();
        var manifest = shard.export().finish(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
        if (manifest.isPresent()) {
            LOG.info(
                    "exported shard {} version {}: {} rows in {} files, {} ms",
                    shard.export().shard(),
                    manifest.get().version(),
                    manifest.get().rows(),
                    manifest.get().added().size(),
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
            if (now != null) {
                now.exported(manifest.get());
            }
        }
        shard.cut();
        seek(shard);
    }

    /** To where the manifests say that reading goes on; Kafka is told for its lag alone. */
    private void seek(ReadShard shard) {
        Position at = shard.export().position();
        seek(shard.structured(), at.structuredOffset());
        seek(shard.proof(), at.proofOffset());
        consumer.commitAsync(
                Map.of(
                        shard.structured(), new OffsetAndMetadata(at.structuredOffset()),
                        shard.proof(), new OffsetAndMetadata(at.proofOffset())),
                (offsets, failure) -> {
                    if (failure != null) {
                        LOG.debug("offsets for the lag were not committed", failure);
                    }
                });
    }

    private void seek(TopicPartition partition, long offset) {
        // A seek throws away what was fetched ahead.
        if (consumer.position(partition) != offset) {
            consumer.seek(partition, offset);
        }
    }

    private void lag(ReadShard shard, long nowMs) {
        consumer.currentLag(shard.structured())
                .ifPresent(waiting -> metrics.lag(
                        shard.export().shard(), waiting + shard.export().uncoveredRows()));
        metrics.age(shard.export().shard(), shard.export().ageMs(nowMs));
    }

    /** Keeps the rows in memory within the bound, and those on the disk. */
    private void spill() {
        long buffered = 0;
        long onDisk = 0;
        for (ReadShard shard : shards.values()) {
            buffered += shard.export().bufferedBytes();
            onDisk += shard.export().bytes();
        }
        while (buffered > limits.bufferBytes()) {
            ReadShard largest = largest();
            buffered -= largest.export().bufferedBytes();
            each(largest.export().shard(), shard -> shard.export().spill());
        }
        if (onDisk > limits.diskBytes()) {
            shards.values().stream()
                    .max((a, b) -> Long.compare(a.export().bytes(), b.export().bytes()))
                    .ifPresent(ReadShard::cutNow);
        }
    }

    private ReadShard largest() {
        return shards.values().stream()
                .max((a, b) ->
                        Long.compare(a.export().bufferedBytes(), b.export().bufferedBytes()))
                .orElseThrow();
    }

    private interface ShardWork {
        void on(ReadShard shard) throws IOException;
    }

    private void each(int number, ShardWork work) {
        ReadShard shard = shards.get(number);
        if (shard == null) {
            return;
        }
        try {
            work.on(shard);
        } catch (KafkaException e) {
            // Whether its reader stands where it thinks is not known: rows that were passed would look lost.
            drop(number);
            throw e;
        } catch (IOException | RuntimeException e) {
            fail(number, e);
        }
    }

    private void fail(int number, Exception cause) {
        LOG.warn("shard {} is tried again later", number, cause);
        metrics.failed(number, cause);
        drop(number);
        retryAt.put(number, System.nanoTime() + RETRY_NANOS);
    }

    private void drop(int number) {
        ReadShard shard = shards.remove(number);
        if (shard == null) {
            return;
        }
        try {
            shard.export().close();
        } catch (IOException e) {
            LOG.warn("scratch files of shard {} stay", number, e);
        }
    }

    private void openShards() {
        long now = System.nanoTime();
        for (int number : assigned) {
            Long at = retryAt.get(number);
            if (shards.containsKey(number) || (at != null && now - at < 0)) {
                continue;
            }
            try {
                var shard = new ReadShard(factory.open(number), known);
                shards.put(number, shard);
                retryAt.remove(number);
                Position from = shard.export().position();
                consumer.seek(shard.structured(), from.structuredOffset());
                consumer.seek(shard.proof(), from.proofOffset());
                consumer.resume(List.of(shard.structured(), shard.proof()));
            } catch (IOException | RuntimeException e) {
                fail(number, e);
            }
        }
        var idle = new ArrayList<TopicPartition>();
        for (TopicPartition partition : consumer.assignment()) {
            if (!shards.containsKey(partition.partition())) {
                idle.add(partition);
            }
        }
        consumer.pause(idle);
    }

    /** Stops after the step at hand. */
    public void stop() {
        stopped = true;
        consumer.wakeup();
    }

    /** Both topics have one partition for each shard, and the range assignor gives both to one worker. */
    private final class Assignment implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            assigned.clear();
            Set<TopicPartition> all = consumer.assignment();
            for (TopicPartition partition : all) {
                if (partition.topic().equals(Topics.STRUCTURED.name())
                        && all.contains(new TopicPartition(Topics.PROOF_SEGMENTS.name(), partition.partition()))) {
                    assigned.add(partition.partition());
                }
            }
            // Positions were set anew: what was read must not be continued.
            shards.keySet().stream().toList().forEach(ExportWorker.this::drop);
            retryAt.keySet().retainAll(assigned);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            onPartitionsLost(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            for (TopicPartition partition : partitions) {
                assigned.remove(partition.partition());
                drop(partition.partition());
            }
        }
    }

    /**
     * Settings of the consumer; the rest is not the deployment's to choose.
     *
     * @param rack whose replicas are read, where there are any; empty for the leaders
     */
    public static Map<String, Object> consumerSettings(String bootstrapServers, String cell, String rack) {
        var settings = new HashMap<String, Object>();
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("client.rack", rack);
        settings.put("group.id", "sallyport-cold-export-" + cell);
        settings.put("client.id", "sallyport-cold-export");
        settings.put("isolation.level", "read_committed");
        settings.put("enable.auto.commit", false);
        // Where retention took the position: the earliest that there is, and the manifest names what is missing.
        settings.put("auto.offset.reset", "earliest");
        settings.put("partition.assignment.strategy", "org.apache.kafka.clients.consumer.RangeAssignor");
        settings.put("max.poll.records", 2_000);
        settings.put("fetch.max.bytes", 16 << 20);
        // A worker that died is replaced after this; its shards' rows wait as long.
        settings.put("session.timeout.ms", 10_000);
        // A large range takes a while to be written; in the meantime nobody else has to start over.
        settings.put("max.poll.interval.ms", (int) TimeUnit.MINUTES.toMillis(15));
        return settings;
    }
}
