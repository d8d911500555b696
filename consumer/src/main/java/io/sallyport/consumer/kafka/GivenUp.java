package io.sallyport.consumer.kafka;

import com.google.protobuf.UnsafeByteOperations;
import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.DeadLetter;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.Stage;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a group gave up or lost, its marker, and the group's position behind it, in one transaction: each is there once,
 * whoever dies meanwhile. The producer is made when it is first needed.
 */
final class GivenUp implements AutoCloseable {
    private static final byte[] NO_SENSOR = "-".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_REASON = 1_024;

    private final ConsumerSettings settings;
    private final Consumer<byte[], byte[]> consumer;
    private final Clock clock;
    private final String transactionalId;
    private @Nullable Producer<byte[], byte[]> producer;

    GivenUp(ConsumerSettings settings, Consumer<byte[], byte[]> consumer, Clock clock) {
        this.settings = settings;
        this.consumer = consumer;
        this.clock = clock;
        // A member that was replaced is fenced by the group's generation, not by this name.
        this.transactionalId = "sallyport-consumer-" + settings.group() + "-" + UUID.randomUUID();
    }

    /**
     * Gives a record up.
     *
     * @param value the record, decoded; empty where it cannot be
     * @param next position of the group behind it
     * @param text to stand beside the position
     * @throws KafkaException where nothing is written, or where it is not known; to be called again
     */
    void deadLetter(
            ConsumerRecord<byte[], byte[]> record,
            StructuredRecord value,
            int attempts,
            @Nullable Throwable failure,
            long next,
            String text) {
        byte[] key = record.key() == null ? NO_SENSOR : record.key();
        DeadLetter.Builder letter = DeadLetter.newBuilder()
                .setGroup(settings.group())
                .setTopic(record.topic())
                .setPartition(record.partition())
                .setOffset(record.offset())
                .setAppendMs(record.timestamp())
                .setAttempts(attempts)
                .setReason(reason(failure))
                .setKey(UnsafeByteOperations.unsafeWrap(key))
                .setAtUs(nowUs());
        if (record.value() != null) {
            letter.setOriginal(UnsafeByteOperations.unsafeWrap(record.value()));
        }
        CoverageMarker.Builder marker = CoverageMarker.newBuilder()
                .setCount(1)
                .setStage(Stage.STAGE_CONSUMER)
                .setReason(Reason.DEAD_LETTERED)
                .setDetail("group %s, %s partition %d offset %d, %d attempts"
                        .formatted(settings.group(), record.topic(), record.partition(), record.offset(), attempts))
                .setAtUs(letter.getAtUs());
        whose(value, key).ifPresent(sensor -> {
            letter.setCustomerId(sensor.customerId()).setSensorId(sensor.sensorId());
            marker.setCustomerId(sensor.customerId()).setSensorId(sensor.sensorId());
        });
        if (value.hasEvent()) {
            Envelope event = value.getEvent();
            letter.setEpoch(event.getEpoch())
                    .setSeq(event.getSeq())
                    .setGeneration(event.getOrigin().getGeneration());
            marker.setEpoch(event.getEpoch())
                    .addRanges(SeqRange.newBuilder().setFrom(event.getSeq()).setTo(event.getSeq()));
        } else if (value.hasMarker()) {
            letter.setEpoch(value.getMarker().getEpoch())
                    .setGeneration(value.getMarker().getOrigin().getGeneration());
            marker.setEpoch(value.getMarker().getEpoch());
        }
        var partition = new TopicPartition(record.topic(), record.partition());
        write(
                partition,
                new OffsetAndMetadata(next, text),
                new ProducerRecord<>(
                        Topics.DEAD_LETTERS.name(),
                        record.partition(),
                        key,
                        letter.build().toByteArray()),
                new ProducerRecord<>(
                        Topics.COVERAGE.name(),
                        record.partition(),
                        key,
                        marker.build().toByteArray()));
    }

    /**
     * Tells that records of a shard were gone before this group had read them: from {@code offset} on.
     *
     * @param behind position of the group behind them
     */
    void overrun(TopicPartition partition, long offset, OffsetAndMetadata behind) {
        long begin = behind.offset();
        CoverageMarker marker = CoverageMarker.newBuilder()
                .setCount(begin - offset)
                .setStage(Stage.STAGE_CONSUMER)
                .setReason(Reason.RETENTION_OVERRUN)
                .setDetail("group %s, %s partition %d, offsets %d to %d"
                        .formatted(settings.group(), partition.topic(), partition.partition(), offset, begin - 1))
                .setAtUs(nowUs())
                .build();
        write(
                partition,
                behind,
                new ProducerRecord<>(Topics.COVERAGE.name(), partition.partition(), NO_SENSOR, marker.toByteArray()));
    }

    @SafeVarargs
    private void write(TopicPartition partition, OffsetAndMetadata behind, ProducerRecord<byte[], byte[]>... records) {
        try {
            if (producer == null) {
                Producer<byte[], byte[]> fresh = Clients.producer(settings, transactionalId);
                producer = fresh;
                // Waits for the outcome of a transaction that this process lost sight of.
                fresh.initTransactions();
            }
            OffsetAndMetadata committed = consumer.committed(Set.of(partition)).get(partition);
            if (behind.equals(committed)) {
                return;
            }
            producer.beginTransaction();
            for (ProducerRecord<byte[], byte[]> record : records) {
                producer.send(record);
            }
            producer.sendOffsetsToTransaction(Map.of(partition, behind), consumer.groupMetadata());
            producer.commitTransaction();
        } catch (KafkaException e) {
            // Closing without a commit aborts; the next producer of this name sees to what is left.
            close();
            throw e;
        }
    }

    private static Optional<SensorKey> whose(StructuredRecord value, byte[] key) {
        if (value.hasEvent()) {
            return SensorKey.of(
                    value.getEvent().getCustomerId(), value.getEvent().getSensorId());
        }
        if (value.hasMarker()) {
            return SensorKey.of(
                    value.getMarker().getCustomerId(), value.getMarker().getSensorId());
        }
        return SensorKey.fromTopicKey(new String(key, StandardCharsets.US_ASCII));
    }

    /** What a handler says of its failure, cut and printable: it may speak of a tenant's content. */
    static String reason(@Nullable Throwable failure) {
        if (failure == null) {
            return "unknown";
        }
        String text = failure.getMessage() == null
                ? failure.getClass().getName()
                : failure.getClass().getName() + ": " + failure.getMessage();
        String printable = text.replaceAll("[^ -~]", "?");
        return printable.length() > MAX_REASON ? printable.substring(0, MAX_REASON) : printable;
    }

    private long nowUs() {
        return TimeUnit.MILLISECONDS.toMicros(clock.millis());
    }

    @Override
    public void close() {
        Producer<byte[], byte[]> open = producer;
        producer = null;
        if (open != null) {
            open.close(Duration.ofSeconds(5));
        }
    }
}
