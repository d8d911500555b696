package io.sallyport.router.streams;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
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
 * Runs the router's topology in this process. Its group members are static, named after the instance: one that comes
 * back after a kill takes its tasks up again at once, without waiting for its dead predecessor.
 */
public final class RouterStreams implements AutoCloseable {
    public static final String APPLICATION_ID = "sallyport-command-router";

    private static final Logger LOG = LoggerFactory.getLogger(RouterStreams.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(15);
    private static final int POLL_MS = 20;
    private static final long CACHE_BYTES = 32L << 20;
    private static final int TRANSACTION_TIMEOUT_MS = 10_000;
    private static final int SESSION_TIMEOUT_MS = 10_000;
    private static final int HEARTBEAT_MS = 3_000;
    /** More failures than this within the window are no hiccup: the router stops and is reported as down. */
    private static final int MAX_FAILURES = 20;

    private static final long FAILURE_WINDOW_MS = 600_000;

    private final Settings settings;
    private final RouterTopology.Parts parts;
    private final Runnable onGivingUp;
    private final Deque<Long> failuresMs = new ArrayDeque<>();
    private volatile @Nullable KafkaStreams streams;

    /**
     * Where and as whom the router runs.
     *
     * @param instance ordinal of this instance among those of the router
     * @param stateDir its own folder below it is made
     * @param rack of the brokers that are near; empty where there is none
     * @param threads that work on tasks
     * @param commitIntervalMs how often a transaction ends
     */
    public record Settings(
            String bootstrapServers,
            int instance,
            Path stateDir,
            TopicSizing sizing,
            String rack,
            int threads,
            int commitIntervalMs) {}

    /** @param onGivingUp called on a stream thread, when no thread is replaced any more */
    public RouterStreams(Settings settings, RouterTopology.Parts parts, Runnable onGivingUp) {
        this.settings = settings;
        this.parts = parts;
        this.onGivingUp = onGivingUp;
    }

    public synchronized void start() {
        if (streams != null) {
            return;
        }
        var started = new KafkaStreams(RouterTopology.build(settings.sizing(), parts), config(settings));
        started.setUncaughtExceptionHandler(this::onFailure);
        started.setStateListener((now, before) -> LOG.info("command router: {} -> {}", before, now));
        streams = started;
        started.start();
    }

    @Override
    public synchronized void close() {
        KafkaStreams running = streams;
        streams = null;
        if (running != null && !running.close(CLOSE_TIMEOUT)) {
            LOG.warn("the command router did not stop within {}", CLOSE_TIMEOUT);
        }
    }

    /** Whether commands are being routed here, as far as this process can tell. */
    public boolean isServing() {
        KafkaStreams running = streams;
        return running != null && running.state() == KafkaStreams.State.RUNNING;
    }

    /** The state in Kafka Streams' own words, for health. */
    public String state() {
        KafkaStreams running = streams;
        return running == null ? "STOPPED" : running.state().name();
    }

    StreamThreadExceptionResponse onFailure(Throwable failure) {
        parts.meters().threadFailed();
        synchronized (failuresMs) {
            long nowMs = System.currentTimeMillis();
            failuresMs.addLast(nowMs);
            while (nowMs - failuresMs.getFirst() > FAILURE_WINDOW_MS) {
                failuresMs.removeFirst();
            }
            if (failuresMs.size() > MAX_FAILURES) {
                LOG.error("the command router failed {} times within minutes and stops", failuresMs.size(), failure);
                onGivingUp.run();
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            }
        }
        LOG.error("a thread of the command router failed and is replaced", failure);
        return StreamThreadExceptionResponse.REPLACE_THREAD;
    }

    private static Properties config(Settings settings) {
        TopicSizing sizing = settings.sizing();
        var p = new Properties();
        p.put(StreamsConfig.APPLICATION_ID_CONFIG, APPLICATION_ID);
        p.put(StreamsConfig.CLIENT_ID_CONFIG, "command-router-" + settings.instance());
        p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        p.put(StreamsConfig.STATE_DIR_CONFIG, settings.stateDir().toString());
        p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        p.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, settings.threads());
        p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, settings.commitIntervalMs());
        p.put(StreamsConfig.POLL_MS_CONFIG, POLL_MS);
        p.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, CACHE_BYTES);
        p.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, sizing.replication());
        p.put(StreamsConfig.topicPrefix(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG), sizing.minInsync());
        p.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, sizing.replication() > 1 ? 1 : 0);
        p.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, StoreSettings.class);
        if (!settings.rack().isEmpty()) {
            // Standbys in another rack, filled from their own one. The input is read from its leaders: they have it
            // first.
            p.put(StreamsConfig.RACK_AWARE_ASSIGNMENT_TAGS_CONFIG, "rack");
            p.put(StreamsConfig.clientTagPrefix("rack"), settings.rack());
            p.put(StreamsConfig.restoreConsumerPrefix(ConsumerConfig.CLIENT_RACK_CONFIG), settings.rack());
        }
        p.put(
                StreamsConfig.mainConsumerPrefix(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG),
                APPLICATION_ID + "-" + settings.instance());
        p.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), SESSION_TIMEOUT_MS);
        p.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), HEARTBEAT_MS);
        p.put(StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG), TRANSACTION_TIMEOUT_MS);
        // A push leaves at once; under load the records that gather meanwhile share a request all the same.
        p.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0);
        p.put(
                StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                Topics.SESSION_PUSH.maxMessageBytes());
        return p;
    }
}
