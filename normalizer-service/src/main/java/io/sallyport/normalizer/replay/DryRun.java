package io.sallyport.normalizer.replay;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.generation.GenerationLog;
import io.sallyport.normalizer.generation.SnapshotReader;
import io.sallyport.normalizer.streams.Decider;
import io.sallyport.normalizer.streams.Derivation;
import io.sallyport.normalizer.streams.Incarnation;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ShardStart;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reports what a replay would change, and writes nothing: derives in memory, one shard after the other, from where a replay
 * would begin, and compares with the records that are current. What the live generation has not handled yet is left out.
 */
public final class DryRun implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(500);
    /** An empty fetch waits so long at the broker, and whatever is asked next, a close too, waits for the fetch. */
    private static final int FETCH_MAX_WAIT_MS = 20;

    private final String bootstrapServers;
    private final Supplier<Decider> deciders;
    private final Cell cell;
    private final GenerationLog log;
    private final SnapshotReader snapshots;

    /** @param deciders what a replay would decide with */
    public DryRun(String bootstrapServers, Supplier<Decider> deciders) {
        this.bootstrapServers = bootstrapServers;
        this.deciders = deciders;
        this.cell = new Cell(bootstrapServers);
        this.log = new GenerationLog(bootstrapServers);
        this.snapshots = new SnapshotReader(bootstrapServers);
    }

    /**
     * @param to raw records that were appended at or after it are left out
     * @throws ReplayRefusedException where a replay could not begin at {@code from}
     */
    public Differences run(Instant from, Instant to) throws InterruptedException {
        Generations generations = log.current();
        Map<Integer, Long> handled = cell.committed(Incarnation.applicationId(generations.getLive()), Topics.RAW);
        Map<Integer, Long> before = cell.offsets(Topics.RAW, OffsetSpec.forTimestamp(to.toEpochMilli()));
        var examples = new ArrayList<String>();
        var total = new Differences(0, 0, 0, 0, 0, 0, List.of());
        for (ShardStart start : new Beginnings(cell, snapshots).find(from, generations)) {
            long since = before.getOrDefault(start.getShard(), -1L);
            long end = handled.getOrDefault(start.getShard(), 0L);
            // -1: nothing was appended as late as that.
            Differences found = shard(start, since < 0 ? end : Math.min(since, end), generations);
            found.examples().stream().limit(20L - examples.size()).forEach(examples::add);
            total = new Differences(
                    total.same() + found.same(),
                    total.missing() + found.missing(),
                    total.added() + found.added(),
                    total.changed() + found.changed(),
                    total.markersMissing() + found.markersMissing(),
                    total.markersAdded() + found.markersAdded(),
                    examples);
        }
        return total;
    }

    private Differences shard(ShardStart start, long end, Generations generations) {
        var comparison = new Comparison();
        if (start.getFromOffset() >= end) {
            return comparison.result();
        }
        try (var derivation = new Derivation(deciders.get());
                var raw = new Reader(Topics.RAW, start.getShard(), start.getFromOffset(), end);
                var structured = new Reader(Topics.STRUCTURED, start.getShard(), 0, Long.MAX_VALUE)) {
            if (start.hasSnapshotOffset()) {
                snapshots.entries(start.getShard(), start.getSnapshotOffset(), derivation::remember);
            }
            CurrentRecords current = Beginnings.current(generations, start.getShard());
            long derivedTo = -1;
            long standingTo = -1;
            boolean sought = false;
            while (raw.hasMore() || structured.hasMore()) {
                // In step, so that little waits for its counterpart.
                if (raw.hasMore() && (!structured.hasMore() || derivedTo <= standingTo)) {
                    for (ConsumerRecord<byte[], byte[]> record : raw.poll()) {
                        if (!sought) {
                            // What was made of it was appended later than it.
                            structured.seek(record.timestamp());
                            sought = true;
                        }
                        derivedTo = record.offset();
                        derivation.derive(read(record), made -> {
                            if (made.hasEvent()) {
                                comparison.derived(made.getEvent());
                            } else {
                                comparison.derived(made.getMarker());
                            }
                        });
                    }
                } else {
                    for (ConsumerRecord<byte[], byte[]> record : structured.poll()) {
                        standingTo =
                                Math.max(standingTo, standing(record, start.getFromOffset(), end, current, comparison));
                    }
                }
            }
        }
        return comparison.result();
    }

    /** @return raw offset of the record */
    private static long standing(
            ConsumerRecord<byte[], byte[]> record, long from, long end, CurrentRecords current, Comparison comparison) {
        StructuredRecord value;
        try {
            value = StructuredRecord.parseFrom(record.value());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(
                    "structured partition " + record.partition() + " offset " + record.offset() + " cannot be read", e);
        }
        if (!value.hasEvent() && !value.hasMarker()) {
            return -1;
        }
        Origin origin = value.hasEvent()
                ? value.getEvent().getOrigin()
                : value.getMarker().getOrigin();
        boolean compared = origin.getRawOffset() >= from
                && origin.getRawOffset() < end
                && current.of(origin) == CurrentRecords.Standing.CURRENT;
        if (compared && value.hasEvent()) {
            comparison.standing(value.getEvent());
        } else if (compared) {
            comparison.standing(value.getMarker());
        }
        return origin.getRawOffset();
    }

    private static RawRecord read(ConsumerRecord<byte[], byte[]> record) {
        return new RawRecord(
                record.timestamp(),
                record.key(),
                value(record.headers().lastHeader(RawHeaders.KIND)),
                value(record.headers().lastHeader(RawHeaders.STAMP)),
                record.value());
    }

    private static byte @Nullable [] value(@Nullable Header header) {
        return header == null ? null : header.value();
    }

    @Override
    public void close() {
        cell.close();
        log.close();
    }

    /** A part of one partition. */
    private final class Reader implements AutoCloseable {
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final TopicPartition partition;
        private final long end;

        Reader(TopicSpec<?> topic, int shard, long from, long to) {
            partition = new TopicPartition(topic.name(), shard);
            consumer = new KafkaConsumer<>(
                    Map.of(
                            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                            bootstrapServers,
                            ConsumerConfig.CLIENT_ID_CONFIG,
                            "sallyport-replay",
                            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                            "read_committed",
                            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                            "earliest",
                            ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                            8 << 20,
                            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                            FETCH_MAX_WAIT_MS),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer());
            consumer.assign(List.of(partition));
            consumer.seek(partition, from);
            end = Math.min(to, consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L));
        }

        void seek(long appendMs) {
            OffsetAndTimestamp found =
                    consumer.offsetsForTimes(Map.of(partition, appendMs)).get(partition);
            consumer.seek(partition, found == null ? end : found.offset());
        }

        boolean hasMore() {
            return consumer.position(partition) < end;
        }

        List<ConsumerRecord<byte[], byte[]>> poll() {
            return consumer.poll(POLL).records(partition).stream()
                    .filter(record -> record.offset() < end)
                    .toList();
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}
