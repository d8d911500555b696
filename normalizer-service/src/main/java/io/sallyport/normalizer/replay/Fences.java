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
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
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
     * The first fence of a generation in a shard, which is the one that counts; it is put there if there is none. Whoever
     * calls this again, or at the same time, gets the same one.
     *
     * @param from it does not stand below
     */
    Placed place(int shard, int generation, long from) throws InterruptedException {
        Optional<Placed> there = find(shard, generation, from);
        if (there.isPresent()) {
            return there.get();
        }
        var fence = new ProducerRecord<>(
                Topics.RAW.name(),
                shard,
                NO_SENSOR,
                Fence.newBuilder().setGeneration(generation).build().toByteArray());
        fence.headers().add(RawHeaders.KIND, KIND);
        try {
            producer.send(fence).get();
        } catch (ExecutionException e) {
            throw new KafkaException("the fence of shard " + shard + " was not written", e.getCause());
        }
        // Somebody else may have been sooner.
        return find(shard, generation, from)
                .orElseThrow(() -> new KafkaException("the fence of shard " + shard + " cannot be read back"));
    }

    private Optional<Placed> find(int shard, int generation, long from) {
        return first(Topics.RAW, shard, from, record -> isFence(record, generation))
                .map(record -> new Placed(record.offset(), record.timestamp()));
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

    /** What the generation wrote at its fence; empty where that is not committed yet. */
    Optional<GenerationRecord> answer(int shard, int generation, Placed fence) {
        var structured = new TopicPartition(Topics.STRUCTURED.name(), shard);
        long since = reader.offsetAt(structured, fence.appendMs() - CLOCKS_APART_MS);
        if (since < 0) {
            return Optional.empty();
        }
        return first(
                        Topics.STRUCTURED,
                        shard,
                        since,
                        record -> takeover(record, generation).isPresent())
                .flatMap(record -> takeover(record, generation));
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

    private Optional<ConsumerRecord<byte[], byte[]>> first(
            TopicSpec<?> topic, int shard, long from, Predicate<ConsumerRecord<byte[], byte[]>> wanted) {
        var partition = new TopicPartition(topic.name(), shard);
        for (ConsumerRecord<byte[], byte[]> record :
                reader.from(partition, from).toEnd()) {
            if (wanted.test(record)) {
                return Optional.of(record);
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        producer.close();
        reader.close();
    }
}
