package io.sallyport.export.checkpoint.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.LogTree;
import io.sallyport.export.checkpoint.LogTrees;
import io.sallyport.export.checkpoint.ShardCut;
import io.sallyport.export.checkpoint.Trim;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Finds out what retention took of `structured`, generation by generation. Only what is older than the topic's retention may be
 * missing at its beginning; whatever else is missing there gets no statement, and a verifier will say so. Belongs to one thread,
 * which it does not hold for longer than some seconds: what was not read goes on at the next look.
 */
final class Retention implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration LOOK = Duration.ofSeconds(3);
    /** Segments that are looked through for the next one of a generation. */
    private static final int MOST_SEGMENTS = 64;

    private static final int MOST_TRIES = 10;

    private static final long RETENTION_MS = Topics.STRUCTURED.retention().toMillis();

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<Integer, ShardCut> cuts = new HashMap<>();
    private final long lookNanos;
    private int turn;

    Retention(String bootstrapServers) {
        this(bootstrapServers, LOOK);
    }

    /** @param look how long one look may read; each gets on by a shard at least, however short it is */
    Retention(String bootstrapServers, Duration look) {
        lookNanos = look.toNanos();
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "sallyport-retention",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest",
                        ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                        8 << 20),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** Statements that are not in the log yet. */
    List<Trim> trims(CheckpointLog log, LogTrees trees, long nowMs) {
        List<TopicPartition> partitions = consumer.partitionsFor(Topics.STRUCTURED.name()).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .sorted(Comparator.comparingInt(TopicPartition::partition))
                .toList();
        Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(partitions);
        long endNanos = System.nanoTime() + lookNanos;
        var trims = new ArrayList<Trim>();
        for (int i = 0; i < partitions.size() && (i == 0 || System.nanoTime() - endNanos < 0); i++) {
            // Beginning where the last look ended, so that each shard gets its turn.
            TopicPartition partition = partitions.get(turn++ % partitions.size());
            long beginning = beginnings.getOrDefault(partition, 0L);
            if (beginning > 0) {
                trims.addAll(trims(partition, beginning, log, trees, nowMs - RETENTION_MS, endNanos));
            }
        }
        return trims;
    }

    private List<Trim> trims(
            TopicPartition structured, long beginning, CheckpointLog log, LogTrees trees, long sinceMs, long endNanos) {
        ShardCut cut = cuts.compute(
                structured.partition(),
                (shard, before) ->
                        before == null || before.beginning() != beginning ? new ShardCut(beginning) : before);
        List<LogTree> open = trees.of(structured.partition()).stream()
                .filter(tree -> stated(log, tree.key()) < tree.nextPos())
                .toList();
        if (cut.isUnread(open, trees, sinceMs)) {
            read(structured, cut, open, trees, sinceMs, endNanos);
        }
        return cut.trims(open, trees, sinceMs, (tree, pos) -> pos <= oldEnough(tree, sinceMs)).stream()
                .filter(trim -> stated(log, trim.tree()) < trim.firstPos())
                .toList();
    }

    private static long stated(CheckpointLog log, TreeKey tree) {
        return log.trim(tree).map(Trim::firstPos).orElse(0L);
    }

    private void read(
            TopicPartition structured, ShardCut cut, List<LogTree> open, LogTrees trees, long sinceMs, long endNanos) {
        consumer.assign(List.of(structured));
        consumer.seek(structured, cut.next());
        long end = consumer.endOffsets(List.of(structured)).getOrDefault(structured, 0L);
        do {
            if (consumer.position(structured) >= end) {
                cut.ended(sinceMs);
                return;
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                origin(record)
                        .ifPresentOrElse(
                                origin -> cut.record(
                                        record.offset(), record.timestamp(), origin.getGeneration(), origin.getPos()),
                                () -> cut.passed(record.offset(), record.timestamp()));
                if (!cut.isUnread(open, trees, sinceMs)) {
                    return;
                }
            }
        } while (System.nanoTime() - endNanos < 0);
    }

    private static Optional<Origin> origin(ConsumerRecord<byte[], byte[]> record) {
        try {
            StructuredRecord value = StructuredRecord.parseFrom(record.value() == null ? new byte[0] : record.value());
            return switch (value.getRecordCase()) {
                case EVENT -> Optional.of(value.getEvent().getOrigin());
                case MARKER -> Optional.of(value.getMarker().getOrigin());
                case GENERATION -> Optional.of(value.getGeneration().getOrigin());
                default -> Optional.empty();
            };
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        }
    }

    /** Records of the tree below this `pos` were committed before retention began; 0 where that is not known. */
    private long oldEnough(TreeKey tree, long sinceMs) {
        var segments = new TopicPartition(Topics.PROOF_SEGMENTS.name(), tree.shard());
        OffsetAndTimestamp at =
                consumer.offsetsForTimes(Map.of(segments, sinceMs)).get(segments);
        if (at == null) {
            return Long.MAX_VALUE;
        }
        consumer.assign(List.of(segments));
        consumer.seek(segments, at.offset());
        long end = Math.min(
                at.offset() + MOST_SEGMENTS,
                consumer.endOffsets(List.of(segments)).getOrDefault(segments, 0L));
        for (int tries = 0; tries < MOST_TRIES && consumer.position(segments) < end; tries++) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                try {
                    ProofSegment segment = ProofSegment.parseFrom(record.value());
                    if (segment.getGeneration() == tree.generation()) {
                        return segment.getFirstPos();
                    }
                } catch (InvalidProtocolBufferException e) {
                    return 0;
                }
            }
        }
        return 0;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
