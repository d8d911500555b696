package io.sallyport.normalizer.requeue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Puts quarantined content back into `raw`, in the partition it came from. The stamp is the old one without its session:
 * the normalizer takes such a record as content alone, and concludes nothing about holes or sessions from it. What was
 * declared missing is then committed with GAP_CLOSED; doing it twice commits once.
 */
public final class Requeue implements AutoCloseable {
    /** Sends that are not confirmed yet; bounds memory with records of 1 MiB. */
    private static final int MOST_UNCONFIRMED = 32;

    private final CommittedReader reader;
    private final KafkaProducer<byte[], byte[]> producer;

    public Requeue(String bootstrapServers) {
        reader = new CommittedReader(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.CLIENT_ID_CONFIG,
                "sallyport-requeue",
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                8 << 20));
        producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.CLIENT_ID_CONFIG,
                        "sallyport-requeue",
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                        Topics.RAW.maxMessageBytes()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /**
     * Goes through `quarantine` as it is now.
     *
     * @throws IllegalStateException where the broker did not take a record; running again is safe
     */
    public RequeueReport run(RequeueFilter filter) throws InterruptedException {
        long matched = 0;
        long requeued = 0;
        var unconfirmed = new ArrayDeque<Future<RecordMetadata>>();
        for (ConsumerRecord<byte[], byte[]> record :
                reader.fromBeginning(Topics.QUARANTINE.name()).toEnd()) {
            Optional<Quarantined> quarantined = read(record);
            if (quarantined.isEmpty() || !filter.matches(record.partition(), record.offset(), quarantined.get())) {
                continue;
            }
            matched++;
            Optional<ProducerRecord<byte[], byte[]>> raw = toRaw(quarantined.get(), record.key());
            if (raw.isPresent()) {
                unconfirmed.add(producer.send(raw.get()));
                requeued++;
            }
            confirm(unconfirmed, MOST_UNCONFIRMED);
        }
        confirm(unconfirmed, 0);
        return new RequeueReport(matched, requeued, matched - requeued);
    }

    private static Optional<Quarantined> read(ConsumerRecord<byte[], byte[]> record) {
        try {
            return record.value() == null ? Optional.empty() : Optional.of(Quarantined.parseFrom(record.value()));
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        }
    }

    /** The raw record again; empty where too little of it is known. */
    static Optional<ProducerRecord<byte[], byte[]>> toRaw(Quarantined record, byte[] key) {
        if (record.getOriginal().isEmpty()
                || record.getRawStamp().isEmpty()
                || record.getCustomerId().isEmpty()) {
            return Optional.empty();
        }
        String kind = record.getReason() == Reason.UNDECODABLE ? record.getRawKind() : RawKind.BATCH.name();
        if (kind.isEmpty()) {
            return Optional.empty();
        }
        Stamp stamp;
        try {
            stamp = Stamp.parseFrom(record.getRawStamp()).toBuilder()
                    .clearSessionId()
                    .clearBaseWatermark()
                    .clearVerdict()
                    .build();
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        }
        var raw = new ProducerRecord<>(
                Topics.RAW.name(),
                record.getOrigin().getRawPartition(),
                record.getRawKey().isEmpty() ? key : record.getRawKey().toByteArray(),
                record.getOriginal().toByteArray());
        raw.headers().add(RawHeaders.KIND, kind.getBytes(StandardCharsets.US_ASCII));
        raw.headers().add(RawHeaders.STAMP, stamp.toByteArray());
        return Optional.of(raw);
    }

    private static void confirm(ArrayDeque<Future<RecordMetadata>> unconfirmed, int most) throws InterruptedException {
        while (unconfirmed.size() > most) {
            try {
                unconfirmed.remove().get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("the broker did not take a record", e.getCause());
            }
        }
    }

    @Override
    public void close() {
        producer.close();
        reader.close();
    }
}
