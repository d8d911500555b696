package io.sallyport.session.streams;

import io.sallyport.envelope.topic.TopicSizing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the epoch authority in this process. Its group members are static, named after the node: a node that comes back
 * after a kill takes its tasks up again at once, without waiting for its dead predecessor.
 */
public final class EpochAuthorityStreams implements AutoCloseable {
    public static final String APPLICATION_ID = "sallyport-epoch-authority";

    private static final Logger LOG = LoggerFactory.getLogger(EpochAuthorityStreams.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(15);
    /**
     * An answer is seen when it is committed: a lone claim at once, since the last commit is longer ago than this; a
     * storm of them in transactions of this length.
     */
    private static final int COMMIT_INTERVAL_MS = 5;
    /** How long the thread waits for input before it looks whether a commit is due. */
    private static final int POLL_MS = 20;

    private static final int TRANSACTION_TIMEOUT_MS = 10_000;
    private static final int SESSION_TIMEOUT_MS = 10_000;
    private static final int HEARTBEAT_MS = 3_000;
    /** More failures than this within the window are no hiccup: the authority stops and is reported as down. */
    private static final int MAX_FAILURES = 20;

    private static final long FAILURE_WINDOW_MS = 600_000;

    private final Settings settings;
    private final EpochMeters meters;
    private final Deque<Long> failuresMs = new ArrayDeque<>();
    private volatile @Nullable KafkaStreams streams;

    /**
     * Where and as whom the authority runs.
     *
     * @param node ordinal of this node
     * @param stateDir its own folder below it is made
     * @param rack of the brokers that are near; empty where there is none
     */
    public record Settings(String bootstrapServers, int node, Path stateDir, String rack, TopicSizing sizing) {}

    public EpochAuthorityStreams(Settings settings, EpochMeters meters) {
        this.settings = settings;
        this.meters = meters;
    }

    public synchronized void start() {
        if (streams != null) {
            return;
        }
        var started = new KafkaStreams(EpochTopology.build(settings.sizing(), meters), config(settings));
        started.setUncaughtExceptionHandler(this::onFailure);
        started.setStateListener((now, before) -> LOG.info("epoch authority: {} -> {}", before, now));
        streams = started;
        started.start();
    }

    @Override
    public synchronized void close() {
        KafkaStreams running = streams;
        streams = null;
        if (running != null && !running.close(CLOSE_TIMEOUT)) {
            LOG.warn("the epoch authority did not stop within {}", CLOSE_TIMEOUT);
        }
    }

    /** Whether claims are being decided here, as far as this process can tell. */
    public boolean isServing() {
        KafkaStreams running = streams;
        return running != null && running.state() == KafkaStreams.State.RUNNING;
    }

    /** The state in Kafka Streams' own words, for health. */
    public String state() {
        KafkaStreams running = streams;
        return running == null ? "STOPPED" : running.state().name();
    }

    private StreamThreadExceptionResponse onFailure(Throwable failure) {
        meters.threadFailed();
        synchronized (failuresMs) {
            long nowMs = System.currentTimeMillis();
            failuresMs.addLast(nowMs);
            while (nowMs - failuresMs.getFirst() > FAILURE_WINDOW_MS) {
                failuresMs.removeFirst();
            }
            if (failuresMs.size() > MAX_FAILURES) {
                LOG.error("the epoch authority failed {} times within minutes and stops", failuresMs.size(), failure);
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            }
        }
        LOG.error("a thread of the epoch authority failed and is replaced", failure);
        return StreamThreadExceptionResponse.REPLACE_THREAD;
    }

    private static Properties config(Settings settings) {
        TopicSizing sizing = settings.sizing();
        var p = new Properties();
        p.put(StreamsConfig.APPLICATION_ID_CONFIG, APPLICATION_ID);
        p.put(StreamsConfig.CLIENT_ID_CONFIG, "epoch-authority-" + settings.node());
        p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        p.put(StreamsConfig.STATE_DIR_CONFIG, settings.stateDir().toString());
        p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_INTERVAL_MS);
        p.put(StreamsConfig.POLL_MS_CONFIG, POLL_MS);
        p.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        p.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, sizing.replication());
        p.put(StreamsConfig.topicPrefix(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG), sizing.minInsync());
        p.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, sizing.replication() > 1 ? 1 : 0);
        p.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_GLOBAL_ENABLED_CONFIG, true);
        p.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, EpochStoreSettings.class);
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
        p.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), SESSION_TIMEOUT_MS);
        p.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), HEARTBEAT_MS);
        p.put(StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG), TRANSACTION_TIMEOUT_MS);
        return p;
    }
}
