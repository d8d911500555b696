package io.sallyport.export.checkpoint.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.Trim;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.time.Duration;
import java.util.ArrayList;
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
 * Finds out what retention took of `structured`. Only what is older than the topic's retention may be missing at its
 * beginning; whatever else is missing there gets no statement, and a verifier will say so.
 */
final class Retention implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final int TRIES = 10;

    private final KafkaConsumer<byte[], byte[]> consumer;
    /** Where each partition began when it was looked at last. */
    private final Map<Integer, Long> beginnings = new HashMap<>();

    Retention(String bootstrapServers) {
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "sallyport-retention",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        1),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** Statements that are not in the log yet. */
    List<Trim> trims(String cell, CheckpointLog log) {
        List<TopicPartition> partitions = consumer.partitionsFor(Topics.STRUCTURED.name()).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        var trims = new ArrayList<Trim>();
        consumer.beginningOffsets(partitions).forEach((partition, beginning) -> {
            Long before = beginnings.put(partition.partition(), beginning);
            if (beginning > 0 && (before == null || before < beginning)) {
                trim(cell, partition, beginning)
                        .filter(trim -> log.trim(trim.tree())
                                .filter(known -> known.firstPos() >= trim.firstPos())
                                .isEmpty())
                        .ifPresent(trims::add);
            }
        });
        return trims;
    }

    private Optional<Trim> trim(String cell, TopicPartition structured, long beginning) {
        Optional<Origin> first = first(structured, beginning).flatMap(record -> {
            try {
                StructuredRecord value = StructuredRecord.parseFrom(record.value());
                return Optional.of(
                        switch (value.getRecordCase()) {
                            case EVENT -> value.getEvent().getOrigin();
                            case GENERATION -> value.getGeneration().getOrigin();
                            default -> value.getMarker().getOrigin();
                        });
            } catch (InvalidProtocolBufferException e) {
                return Optional.empty();
            }
        });
        return first.filter(origin -> origin.getPos() > 0 && origin.getPos() <= oldEnough(structured.partition()))
                .map(origin -> new Trim(new TreeKey(cell, origin.getShard(), origin.getGeneration()), origin.getPos()));
    }

    /** Records below this `pos` were committed before retention began. */
    private long oldEnough(int shard) {
        var segments = new TopicPartition(Topics.PROOF_SEGMENTS.name(), shard);
        long since = System.currentTimeMillis() - Topics.STRUCTURED.retention().toMillis();
        Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(Map.of(segments, since));
        OffsetAndTimestamp at = found.get(segments);
        if (at == null) {
            return Long.MAX_VALUE;
        }
        return first(segments, at.offset())
                .map(record -> {
                    try {
                        return ProofSegment.parseFrom(record.value()).getFirstPos();
                    } catch (InvalidProtocolBufferException e) {
                        return 0L;
                    }
                })
                .orElse(0L);
    }

    private Optional<ConsumerRecord<byte[], byte[]>> first(TopicPartition partition, long offset) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, offset);
        for (int i = 0; i < TRIES; i++) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                return Optional.of(record);
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
