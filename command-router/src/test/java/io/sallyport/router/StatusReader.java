package io.sallyport.router;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What is told of messages and targets, as a reader of committed records sees it. */
final class StatusReader implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<String, StatusPartial> partials = new HashMap<>();
    private final Map<String, TargetStatus> targets = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private final Map<String, Long> resolved;

    /** @param resolved how many targets each message has: no moment may tell of more */
    StatusReader(String bootstrapServers, Map<String, Long> resolved) {
        this.resolved = resolved;
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        // What is asked next, a close too, waits for the fetch that is under way.
                        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                        20),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        var partitions = new ArrayList<TopicPartition>();
        for (var topic : List.of(Topics.MESSAGE_STATUS, Topics.TARGET_STATUS)) {
            for (int i = 0; i < topic.partitions(TopicSizing.LOCAL); i++) {
                partitions.add(new TopicPartition(topic.name(), i));
            }
        }
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    void read() {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            try {
                if (record.topic().equals(Topics.MESSAGE_STATUS.name())) {
                    StatusPartial partial = StatusPartial.parseFrom(record.value());
                    partials.put(key, partial);
                    Long known = resolved.get(partial.getMsgId());
                    if (known != null && taken(partial.getMsgId()) > known) {
                        violations.add(partial.getMsgId() + " has more than " + known);
                    }
                } else {
                    target(key, TargetStatus.parseFrom(record.value()));
                }
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Targets of a message that a task has taken over, whatever their state. */
    long taken(String msgId) {
        return counts(msgId).values().stream().mapToLong(Long::longValue).sum();
    }

    Map<TargetState, Long> counts(String msgId) {
        var counts = new EnumMap<TargetState, Long>(TargetState.class);
        for (StatusPartial partial : partials.values()) {
            if (partial.getMsgId().equals(msgId)) {
                add(counts, TargetState.PENDING, partial.getPending());
                add(counts, TargetState.IN_FLIGHT, partial.getInFlight());
                add(counts, TargetState.ACKED, partial.getAcked());
                add(counts, TargetState.NACKED, partial.getNacked());
                add(counts, TargetState.EXPIRED, partial.getExpired());
                add(counts, TargetState.SUPERSEDED_BY_NEWER, partial.getSuperseded());
                add(counts, TargetState.EVICTED, partial.getEvicted());
                add(counts, TargetState.CANCELLED, partial.getCancelled());
                add(counts, TargetState.REJECTED, partial.getRejected());
            }
        }
        return counts;
    }

    /** The same, from the single targets. */
    Map<TargetState, Long> targets(String msgId) {
        var counts = new EnumMap<TargetState, Long>(TargetState.class);
        targets.values().stream()
                .filter(target -> target.getMsgId().equals(msgId))
                .forEach(target -> add(counts, target.getState(), 1));
        return counts;
    }

    List<String> violations() {
        return violations;
    }

    private void target(String key, TargetStatus now) {
        TargetStatus before = targets.put(key, now);
        if (before != null
                && before.getState() != TargetState.PENDING
                && before.getState() != TargetState.IN_FLIGHT
                && before.getState() != now.getState()) {
            violations.add(key + " went from " + before.getState() + " to " + now.getState());
        }
    }

    private static void add(Map<TargetState, Long> counts, TargetState state, long count) {
        if (count != 0) {
            counts.merge(state, count, Long::sum);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
