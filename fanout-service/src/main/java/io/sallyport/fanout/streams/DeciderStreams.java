package io.sallyport.fanout.streams;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.alerts.AlertKind;
import io.sallyport.fanout.core.Decider;
import io.sallyport.fanout.core.Freshness;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the decider in this process, exactly once. Its group members are static, named after the node: a node that comes
 * back after a kill takes its partitions up again without waiting for its dead predecessor.
 */
public final class DeciderStreams implements AutoCloseable {
    public static final String APPLICATION_ID = "sallyport-fanout-decider";

    private static final Logger LOG = LoggerFactory.getLogger(DeciderStreams.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(15);
    /** A caller waits for the commit: it comes as soon as a request was handled, unless another one just was. */
    private static final int COMMIT_INTERVAL_MS = 5;

    private static final int POLL_MS = 5;
    private static final int LINGER_MS = 5;
    private static final int TRANSACTION_TIMEOUT_MS = 30_000;
    private static final int SESSION_TIMEOUT_MS = 10_000;
    private static final int HEARTBEAT_MS = 3_000;
    /** Decisions are many and small requests few: what is polled at once bounds how long a commit takes to come. */
    private static final int MAX_POLL_RECORDS = 200;

    private static final int MOST_REPLACED = 5;
    private static final long REPLACED_WITHIN_MS = 300_000;

    private final ThreadFailures failures = new ThreadFailures(MOST_REPLACED, REPLACED_WITHIN_MS);
    private final DeciderMeters meters;
    private final Runnable onGivingUp;
    private final KafkaStreams streams;

    /**
     * Where and as whom the decider runs.
     *
     * @param node tells this member from others
     * @param stateDir its own folder below it is made
     * @param rack of the brokers that are near; empty where there is none
     * @param threads that share the partitions
     */
    public record Settings(
            String bootstrapServers, int node, Path stateDir, String rack, int threads, TopicSizing sizing) {}

    /** @param onGivingUp called on a stream thread, when no thread is replaced any more */
    public DeciderStreams(
            Settings settings, Decider decider, Freshness freshness, DeciderMeters meters, Runnable onGivingUp) {
        this.meters = meters;
        this.onGivingUp = onGivingUp;
        int partitions = Topics.INGRESS.partitions(settings.sizing());
        streams = new KafkaStreams(
                DeciderTopology.build(() -> new DeciderProcessor(decider, freshness, partitions, meters)),
                config(settings));
        streams.setUncaughtExceptionHandler(this::onFailure);
        streams.setStateListener((now, before) -> LOG.info("decider: {} -> {}", before, now));
    }

    public void start() {
        streams.start();
    }

    public boolean isServing() {
        return streams.state() == KafkaStreams.State.RUNNING;
    }

    /** The state in Kafka Streams' own words, for health. */
    public String state() {
        return streams.state().name();
    }

    /** A thread that dies is replaced a few times; what kills one after the other needs a new process, or a person. */
    StreamThreadExceptionResponse onFailure(Throwable failure) {
        LOG.error("a thread of the decider died; its transaction is aborted", failure);
        meters.alert(AlertKind.WORKER_FAILED, "decider: " + failure);
        if (failures.mayReplace(System.currentTimeMillis())) {
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        }
        LOG.error("threads of the decider keep dying: this node gives up");
        onGivingUp.run();
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }

    @Override
    public void close() {
        if (!streams.close(CLOSE_TIMEOUT)) {
            LOG.warn("the decider did not stop within {}", CLOSE_TIMEOUT);
        }
    }

    private static Properties config(Settings settings) {
        TopicSizing sizing = settings.sizing();
        var p = new Properties();
        p.put(StreamsConfig.APPLICATION_ID_CONFIG, APPLICATION_ID);
        p.put(StreamsConfig.CLIENT_ID_CONFIG, "fanout-decider-" + settings.node());
        p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        p.put(StreamsConfig.STATE_DIR_CONFIG, settings.stateDir().toString());
        p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        p.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, settings.threads());
        p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_INTERVAL_MS);
        p.put(StreamsConfig.POLL_MS_CONFIG, POLL_MS);
        p.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        p.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, sizing.replication());
        p.put(StreamsConfig.topicPrefix(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG), sizing.minInsync());
        p.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, sizing.replication() > 1 ? 1 : 0);
        p.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, DeciderStoreSettings.class);
        if (!settings.rack().isEmpty()) {
            // Standbys in another rack, filled from their own one. The input is read from its leaders: they have it
            // first.
            p.put(StreamsConfig.RACK_AWARE_ASSIGNMENT_TAGS_CONFIG, "rack");
            p.put(StreamsConfig.clientTagPrefix("rack"), settings.rack());
            p.put(StreamsConfig.restoreConsumerPrefix(ConsumerConfig.CLIENT_RACK_CONFIG), settings.rack());
        }
        p.put(
                StreamsConfig.mainConsumerPrefix(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG),
                APPLICATION_ID + "-" + settings.node());
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
        p.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), SESSION_TIMEOUT_MS);
        p.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), HEARTBEAT_MS);
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), MAX_POLL_RECORDS);
        p.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), LINGER_MS);
        p.put(StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG), TRANSACTION_TIMEOUT_MS);
        p.put(
                StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                Topics.MESSAGE_BODIES.maxMessageBytes());
        return p;
    }
}
