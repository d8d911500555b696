package io.sallyport.edge.streams;

import io.sallyport.envelope.topic.TopicSizing;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.streams.StreamsConfig;

/**
 * Where and as whom a topology runs, and what every topology has in common: exactly once, state that is kept twice where
 * there are several brokers, and static members, so that one that comes back after a kill takes its tasks up again at once,
 * without waiting for its dead predecessor.
 *
 * @param instance tells this member from the others, for ever
 * @param stateDir a folder of its own below it is made
 * @param rack of the brokers that are near; empty where there is none
 * @param threads that share the partitions
 * @param commitIntervalMs how long a transaction stays open, and so what a reader of the output waits at least
 */
public record StreamsMember(
        String bootstrapServers,
        String instance,
        Path stateDir,
        String rack,
        int threads,
        long commitIntervalMs,
        TopicSizing sizing) {
    /** How long a killed member is waited for; its restart takes its place sooner. */
    private static final int SESSION_TIMEOUT_MS = 10_000;

    private static final int HEARTBEAT_MS = 3_000;
    /** A standby goes to a member that tells another value. */
    private static final String RACK_TAG = "rack";

    /** What all have in common; the caller adds what only its topology needs. */
    public Properties config(String applicationId) {
        String name = applicationId + "-" + instance;
        var p = new Properties();
        p.put(StreamsConfig.APPLICATION_ID_CONFIG, applicationId);
        p.put(StreamsConfig.CLIENT_ID_CONFIG, name);
        p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        p.put(StreamsConfig.STATE_DIR_CONFIG, stateDir.toString());
        p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        p.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, threads);
        p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, commitIntervalMs);
        p.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        p.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, sizing.replication());
        p.put(StreamsConfig.topicPrefix(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG), Integer.toString(sizing.minInsync()));
        p.put(StreamsConfig.topicPrefix(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG), "false");
        p.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, sizing.replication() > 1 ? 1 : 0);
        p.put(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_GLOBAL_ENABLED_CONFIG, true);
        p.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, BoundedStores.class);
        if (!rack.isEmpty()) {
            // Standbys in another rack, filled from their own one. The input is read from its leaders: they have it
            // first.
            p.put(StreamsConfig.RACK_AWARE_ASSIGNMENT_TAGS_CONFIG, RACK_TAG);
            p.put(StreamsConfig.clientTagPrefix(RACK_TAG), rack);
            p.put(StreamsConfig.restoreConsumerPrefix(ConsumerConfig.CLIENT_RACK_CONFIG), rack);
        }
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG), name);
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), SESSION_TIMEOUT_MS);
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), HEARTBEAT_MS);
        return p;
    }
}
