package io.sallyport.normalizer.generation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Generations;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topic `generations`: one record that is replaced by compare-and-set. All writers share a transactional id, so that each
 * fences those before it: between the fencing and the commit nobody else can have written. Not thread-safe.
 */
public final class GenerationLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GenerationLog.class);
    private static final String WRITER = "sallyport-generations";
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final byte[] KEY = "0".getBytes(StandardCharsets.US_ASCII);
    private static final TopicPartition PARTITION = new TopicPartition(Topics.GENERATIONS.name(), 0);

    private final String bootstrapServers;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private Generations known = Generations.getDefaultInstance();

    public GenerationLog(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        WRITER,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(List.of(PARTITION));
        consumer.seekToBeginning(List.of(PARTITION));
    }

    /** What stands there now; generation 0 is live where nothing does. Blocks. */
    public Generations current() {
        long end = consumer.endOffsets(List.of(PARTITION)).getOrDefault(PARTITION, 0L);
        while (consumer.position(PARTITION) < end) {
            poll(POLL);
        }
        return known;
    }

    /** What stands there, after waiting a while for a change. */
    public Generations next(Duration atMost) {
        poll(atMost);
        return known;
    }

    private void poll(Duration atMost) {
        consumer.poll(atMost).forEach(record -> {
            try {
                if (record.value() != null) {
                    known = Generations.parseFrom(record.value());
                }
            } catch (InvalidProtocolBufferException e) {
                // What was known before goes on: a record that nobody can read changes nothing.
                LOG.error("no generations at offset {}", record.offset(), e);
            }
        });
    }

    /**
     * Replaces what stands there, if it still is what the caller saw.
     *
     * @param seen what {@link #current} gave
     * @return whether it was replaced; the next revision is set here
     */
    public boolean replace(Generations seen, Generations next) {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.CLIENT_ID_CONFIG,
                        WRITER,
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        WRITER),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.initTransactions();
            if (current().getRevision() != seen.getRevision()) {
                return false;
            }
            producer.beginTransaction();
            byte[] value =
                    next.toBuilder().setRevision(seen.getRevision() + 1).build().toByteArray();
            producer.send(new ProducerRecord<>(Topics.GENERATIONS.name(), KEY, value));
            producer.commitTransaction();
            awaitRevision(seen.getRevision() + 1);
            return true;
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            return false;
        }
    }

    /** A transaction ends for its writer a moment before readers see that; whoever asks next must not see what was before. */
    private void awaitRevision(long revision) {
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        while (known.getRevision() < revision) {
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new TimeoutException("revision " + revision + " of the generations cannot be read back");
            }
            poll(POLL);
        }
    }

    /** Ends a wait from another thread: the waiting call throws. */
    public void wakeup() {
        consumer.wakeup();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
