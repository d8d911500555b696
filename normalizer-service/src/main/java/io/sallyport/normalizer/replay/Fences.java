package io.sallyport.normalizer.replay;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Fence;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The fences of a generation in `raw`, and what it answers to them in `structured`. */
final class Fences implements AutoCloseable {
    /** The clocks of two brokers agree to this. */
    private static final long CLOCKS_APART_MS = 5_000;

    private static final byte[] KIND = RawKind.FENCE.name().getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NO_SENSOR = "-".getBytes(StandardCharsets.US_ASCII);

    private final CommittedReader reader;
    private final KafkaProducer<byte[], byte[]> producer;

    /**
     * A fence as it stands in `raw`.
     *
     * @param appendMs its append time
     */
    record Placed(long offset, long appendMs) {}

    Fences(String bootstrapServers) {
        reader = new CommittedReader(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.CLIENT_ID_CONFIG,
                "sallyport-replay",
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                8 << 20));
        producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.CLIENT_ID_CONFIG,
                        "sallyport-replay",
                        ProducerConfig.ACKS_CONFIG,
                        "all"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /**
     * The first fence of a generation in each shard, which is the one that counts; it is put there if there is none. Whoever
     * calls this again, or at the same time, gets the same ones.
     *
     * @param from by shard; the fence does not stand below
     */
    Map<Integer, Placed> place(int generation, Map<Integer, Long> from) throws InterruptedException {
        Map<Integer, Placed> placed = find(generation, from);
        var missing = new HashMap<>(from);
        missing.keySet().removeAll(placed.keySet());
        write(generation, missing.keySet());
        // Somebody else may have been sooner.
        placed.putAll(find(generation, missing));
        if (placed.size() < from.size()) {
            throw new KafkaException("only of shards " + placed.keySet() + " the fence can be read back");
        }
        return placed;
    }

    private void write(int generation, Set<Integer> shards) throws InterruptedException {
        var sent = new TreeMap<Integer, Future<RecordMetadata>>();
        for (int shard : shards) {
            var fence = new ProducerRecord<>(
                    Topics.RAW.name(),
                    shard,
                    NO_SENSOR,
                    Fence.newBuilder().setGeneration(generation).build().toByteArray());
            fence.headers().add(RawHeaders.KIND, KIND);
            sent.put(shard, producer.send(fence));
        }
        for (Map.Entry<Integer, Future<RecordMetadata>> each : sent.entrySet()) {
            try {
                each.getValue().get();
            } catch (ExecutionException e) {
                throw new KafkaException("the fence of shard " + each.getKey() + " was not written", e.getCause());
            }
        }
    }

    private Map<Integer, Placed> find(int generation, Map<Integer, Long> from) {
        var placed = new TreeMap<Integer, Placed>();
        firsts(Topics.RAW, new HashMap<>(from), record -> isFence(record, generation))
                .forEach((shard, record) -> placed.put(shard, new Placed(record.offset(), record.timestamp())));
        return placed;
    }

    private static boolean isFence(ConsumerRecord<byte[], byte[]> record, int generation) {
        Header kind = record.headers().lastHeader(RawHeaders.KIND);
        if (kind == null || !Arrays.equals(KIND, kind.value()) || record.value() == null) {
            return false;
        }
        try {
            return Fence.parseFrom(record.value()).getGeneration() == generation;
        } catch (InvalidProtocolBufferException e) {
            return false;
        }
    }

    /** What the generation writes at its fences. */
    Answers answers(int generation, Map<Integer, Placed> placed) {
        return new Answers(generation, placed);
    }

    /** The shards that have not answered, each with how far it was read: no record is looked at twice. */
    final class Answers {
        private final int generation;
        private final Map<Integer, Placed> open;
        private final Map<Integer, Long> next = new HashMap<>();

        private Answers(int generation, Map<Integer, Placed> placed) {
            this.generation = generation;
            this.open = new TreeMap<>(placed);
        }

        int open() {
            return open.size();
        }

        /** Those that were committed since the last look. */
        Collection<GenerationRecord> look() {
            begin();
            var answers = new ArrayList<GenerationRecord>();
            firsts(
                            Topics.STRUCTURED,
                            next,
                            record -> takeover(record, generation).isPresent())
                    .forEach((shard, record) -> {
                        takeover(record, generation).ifPresent(answers::add);
                        open.remove(shard);
                        next.remove(shard);
                    });
            return answers;
        }

        private void begin() {
            var times = new HashMap<TopicPartition, Long>();
            open.forEach((shard, fence) -> {
                if (!next.containsKey(shard)) {
                    times.put(new TopicPartition(Topics.STRUCTURED.name(), shard), fence.appendMs() - CLOCKS_APART_MS);
                }
            });
            if (!times.isEmpty()) {
                reader.offsetsAt(times).forEach((partition, offset) -> next.put(partition.partition(), offset));
            }
        }
    }

    private static Optional<GenerationRecord> takeover(ConsumerRecord<byte[], byte[]> record, int generation) {
        try {
            StructuredRecord value = StructuredRecord.parseFrom(record.value());
            return Optional.of(value.getGeneration())
                    .filter(takeover ->
                            value.hasGeneration() && takeover.getOrigin().getGeneration() == generation);
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        }
    }

    /**
     * The first record of each shard that is wanted, as far as it is there: all shards are read at the same time, and none
     * behind what it was read for.
     *
     * @param next where to begin, by shard; afterwards, where to go on
     */
    private Map<Integer, ConsumerRecord<byte[], byte[]>> firsts(
            TopicSpec<?> topic, Map<Integer, Long> next, Predicate<ConsumerRecord<byte[], byte[]>> wanted) {
        var found = new TreeMap<Integer, ConsumerRecord<byte[], byte[]>>();
        boolean more = true;
        while (more && found.size() < next.size()) {
            var from = new HashMap<TopicPartition, Long>();
            next.forEach((shard, offset) -> {
                if (!found.containsKey(shard)) {
                    from.put(new TopicPartition(topic.name(), shard), offset);
                }
            });
            more = false;
            for (ConsumerRecord<byte[], byte[]> record : reader.from(from).toEnd()) {
                next.put(record.partition(), record.offset() + 1);
                if (wanted.test(record)) {
                    found.put(record.partition(), record);
                    more = true;
                    break;
                }
            }
        }
        return found;
    }

    @Override
    public void close() {
        producer.close();
        reader.close();
    }
}
