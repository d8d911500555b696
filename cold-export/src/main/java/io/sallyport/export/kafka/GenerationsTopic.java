package io.sallyport.export.kafka;

import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.topic.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows the topic `generations`. Belongs to one thread. */
final class GenerationsTopic implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GenerationsTopic.class);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int MOST_POLLS = 100;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final TopicPartition PARTITION = new TopicPartition(Topics.GENERATIONS.name(), 0);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private KnownGenerations known = KnownGenerations.FIRST;
    private long knownNanos = System.nanoTime();
    private long lookNanos = knownNanos;
    private long readNanos = knownNanos;
    private boolean read;

    GenerationsTopic(String bootstrapServers) {
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "sallyport-cold-export-generations",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(List.of(PARTITION));
        consumer.seekToBeginning(List.of(PARTITION));
    }

    /**
     * What stands there: some seconds old at most, or older where it cannot be read now, since what is known still holds.
     *
     * @throws KafkaException where it was never read, and cannot be
     */
    KnownGenerations current() {
        if (System.nanoTime() - lookNanos < 0) {
            return known;
        }
        try {
            long beganNanos = System.nanoTime();
            long end = consumer.endOffsets(List.of(PARTITION), PATIENCE).getOrDefault(PARTITION, 0L);
            for (int i = 0; i < MOST_POLLS && consumer.position(PARTITION, PATIENCE) < end; i++) {
                consumer.poll(POLL).forEach(this::take);
            }
            if (consumer.position(PARTITION, PATIENCE) >= end) {
                read = true;
                readNanos = beganNanos;
            }
        } catch (KafkaException e) {
            LOG.warn("{} cannot be read now", PARTITION, e);
            if (!read) {
                throw e;
            }
        }
        if (!read) {
            throw new TimeoutException(PARTITION + " cannot be read to its end");
        }
        lookNanos = System.nanoTime() + LOOK_NANOS;
        return known;
    }

    /** When it was read to its end last. */
    long readNanos() {
        return readNanos;
    }

    /** For how long {@link #current} has been what it is, as far as this reader knows. */
    long unchangedNanos() {
        return System.nanoTime() - knownNanos;
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        byte[] value = record.value() == null ? new byte[0] : record.value();
        KnownGenerations.parse(value)
                .ifPresentOrElse(
                        newest -> {
                            known = newest;
                            knownNanos = System.nanoTime();
                        },
                        // What was known before still holds.
                        () -> LOG.error("no generations at offset {} of {}", record.offset(), PARTITION));
    }

    @Override
    public void close() {
        consumer.close();
    }
}
