package io.sallyport.session.kafka;

import com.google.protobuf.MessageLite;
import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.envelope.topic.TopicSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one idempotent producer of this node's control records. A send never blocks its caller: the topics' metadata is
 * fetched at the start and kept, and where it is missing the send fails.
 */
public final class ControlProducer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlProducer.class);
    private static final int DELIVERY_TIMEOUT_MS = 15_000;
    private static final int REQUEST_TIMEOUT_MS = 4_000;
    private static final int LINGER_MS = 1;
    private static final int BUFFER_BYTES = 32 << 20;
    /** Longer than any topic stays unused; the default of 5 min would make the next send wait for metadata. */
    private static final long METADATA_IDLE_MS = Duration.ofDays(30).toMillis();

    private static final long METADATA_RETRY_MS = 200;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final KafkaProducer<byte[], byte[]> producer;
    private final List<TopicSpec<?>> topics;
    private final MeterRegistry meters;
    private final Thread warmUp;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private volatile boolean ready;

    /** @param topics every topic that will be sent to */
    public ControlProducer(String bootstrapServers, int node, List<TopicSpec<?>> topics, MeterRegistry meters) {
        this.producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                        ProducerConfig.CLIENT_ID_CONFIG, "session-control-" + node,
                        ProducerConfig.ACKS_CONFIG, "all",
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true,
                        ProducerConfig.LINGER_MS_CONFIG, LINGER_MS,
                        ProducerConfig.MAX_BLOCK_MS_CONFIG, 0,
                        ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES,
                        ProducerConfig.METADATA_MAX_IDLE_CONFIG, METADATA_IDLE_MS,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MS,
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MS),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        this.topics = List.copyOf(topics);
        this.meters = meters;
        this.warmUp = new Thread(this::fetchMetadata, "session-control-metadata");
        this.warmUp.setDaemon(true);
    }

    public void start() {
        warmUp.start();
    }

    /** Whether the metadata of every topic has been fetched. */
    public boolean isReady() {
        return ready;
    }

    /** Completes when all in-sync replicas have the record, on the producer's thread; exceptionally where they do not. */
    CompletionStage<Void> send(TopicSpec<?> topic, int partition, String key, MessageLite value) {
        var sent = new CompletableFuture<Void>();
        var record = new ProducerRecord<>(
                topic.name(), partition, key.getBytes(StandardCharsets.UTF_8), value.toByteArray());
        try {
            producer.send(record, (metadata, failure) -> {
                if (failure == null) {
                    sent.complete(null);
                } else {
                    failed(topic, sent, failure);
                }
            });
        } catch (KafkaException | IllegalStateException e) {
            failed(topic, sent, e);
        }
        return sent;
    }

    /** Sends what is still buffered, then closes. */
    @Override
    public void close() {
        stopping.countDown();
        producer.close(CLOSE_TIMEOUT);
    }

    private void failed(TopicSpec<?> topic, CompletableFuture<Void> sent, Exception failure) {
        meters.counter("sallyport.control.send.failures", "topic", topic.name()).increment();
        sent.completeExceptionally(failure);
    }

    private void fetchMetadata() {
        for (TopicSpec<?> topic : topics) {
            while (!hasMetadata(topic)) {
                try {
                    if (stopping.await(METADATA_RETRY_MS, TimeUnit.MILLISECONDS)) {
                        return;
                    }
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
        ready = true;
    }

    private boolean hasMetadata(TopicSpec<?> topic) {
        try {
            return !producer.partitionsFor(topic.name()).isEmpty();
        } catch (KafkaException e) {
            // It has been asked for, and comes when a broker answers.
            LOG.debug("no metadata of {} yet", topic.name(), e);
            return false;
        }
    }
}
