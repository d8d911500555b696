package io.sallyport.normalizer.generation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Generations;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
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
    /** Every instance follows the topic for ever: a fetch that finds nothing is not repeated at once. */
    private static final int FETCH_WAIT_MS = 250;

    private static final int ATTEMPTS = 3;

    private static final byte[] KEY = "0".getBytes(StandardCharsets.US_ASCII);
    private static final TopicPartition PARTITION = new TopicPartition(Topics.GENERATIONS.name(), 0);

    private final String bootstrapServers;
    private final CommittedReader reader;
    private Generations known = Generations.getDefaultInstance();

    public GenerationLog(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
        reader = new CommittedReader(Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        WRITER,
                        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                        FETCH_WAIT_MS))
                .fromBeginning(List.of(PARTITION));
    }

    /** What stands there now; generation 0 is live where nothing does. Blocks. */
    public Generations current() {
        reader.toEnd().forEach(this::add);
        return known;
    }

    /** What stands there, after waiting a while for a change. */
    public Generations next(Duration atMost) {
        reader.poll(atMost).forEach(this::add);
        return known;
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        try {
            if (record.value() != null) {
                known = Generations.parseFrom(record.value());
            }
        } catch (InvalidProtocolBufferException e) {
            // What was known before goes on: a record that nobody can read changes nothing.
            LOG.error("no generations at offset {}", record.offset(), e);
        }
    }

    /**
     * Replaces what stands there, if it still is what the caller saw.
     *
     * @param seen what {@link #current} gave
     * @return whether it was replaced; the next revision is set here
     */
    public boolean replace(Generations seen, Generations next) {
        Generations written =
                next.toBuilder().setRevision(seen.getRevision() + 1).build();
        for (int attempt = 1; ; attempt++) {
            try {
                // Of a later attempt, what stands there may be what an earlier one wrote after all.
                return write(seen, written) || (attempt > 1 && known.equals(written));
            } catch (ProducerFencedException | InvalidProducerEpochException e) {
                return false;
            } catch (InterruptException e) {
                throw e;
            } catch (KafkaException e) {
                // A broker may answer with any error where another writer comes in between: what stands there tells,
                // and the
                // next attempt ends what is open of this one.
                Generations stands = current();
                if (stands.getRevision() != seen.getRevision()) {
                    return stands.equals(written);
                }
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private boolean write(Generations seen, Generations written) {
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
            producer.send(new ProducerRecord<>(Topics.GENERATIONS.name(), KEY, written.toByteArray()));
            producer.commitTransaction();
            // Whoever asks next must not see what was before.
            current();
            return true;
        }
    }

    /** Ends a wait from another thread: the waiting call throws. */
    public void wakeup() {
        reader.wakeup();
    }

    @Override
    public void close() {
        reader.close();
    }
}
