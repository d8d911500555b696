package io.sallyport.normalizer.streams;

import io.sallyport.edge.streams.StreamsMember;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;

/**
 * Where and how the topology runs.
 *
 * @param cell whose record it is
 * @param instance who runs it, and where
 * @param commitIntervalMs how long a transaction stays open, and so what a reader of `structured` waits at least
 * @param snapshotEveryMs how often the state of each shard is copied
 */
public record StreamsSettings(
        String bootstrapServers,
        String cell,
        Path stateDir,
        Instance instance,
        int threads,
        long commitIntervalMs,
        long snapshotEveryMs,
        TopicSizing sizing) {
    /**
     * One of those that share the partitions.
     *
     * @param id names this instance for ever, so that it gets its partitions back after a restart without a rebalance,
     *     and its dangling transaction is ended at once
     * @param rack of the brokers that are near; empty where there is none
     * @param sessionTimeoutMs how long a killed instance is waited for; its restart takes its place sooner
     */
    public record Instance(String id, String rack, int sessionTimeoutMs) {}

    /** Segment size of the changelog: small ones are compacted, and so restored, sooner. */
    static final int CHANGELOG_SEGMENT_BYTES = 32 << 20;

    /** Heartbeats in a session. With each a member hears that partitions are to move, which it otherwise holds on to. */
    private static final int HEARTBEATS = 10;
    /** With records of 1 MiB, this and the next two bound what one partition holds in memory to about 20 MB. */
    private static final int BUFFERED_RECORDS_PER_PARTITION = 16;

    private static final int PARTITION_FETCH_BYTES = 2 << 20;
    private static final int FETCH_BYTES = 16 << 20;
    /**
     * Where shards are begun, it is 1: each loads its state in the transaction of its first record and then asks for a commit,
     * so that two never load in one transaction. What else comes meanwhile is in the consumer's buffer already.
     */
    private static final int POLL_RECORDS = 500;

    private static final int BATCH_BYTES = 512 << 10;
    private static final int RETRY_BACKOFF_MS = 10;
    private static final long BUFFER_BYTES = 64L << 20;

    Properties toProperties(Incarnation incarnation) {
        var member = new StreamsMember(
                bootstrapServers, instance.id(), stateDir, instance.rack(), threads, commitIntervalMs, sizing);
        Properties p = member.config(incarnation.applicationId());
        p.put(StreamsConfig.BUFFERED_RECORDS_PER_PARTITION_CONFIG, BUFFERED_RECORDS_PER_PARTITION);

        // As it always was: a member of another name would wait for this one to time out.
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG), instance.id());
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), instance.sessionTimeoutMs());
        p.put(
                StreamsConfig.mainConsumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG),
                instance.sessionTimeoutMs() / HEARTBEATS);
        p.put(
                StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG),
                incarnation.starts().isEmpty() ? POLL_RECORDS : 1);
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG), PARTITION_FETCH_BYTES);
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.FETCH_MAX_BYTES_CONFIG), FETCH_BYTES);
        if (!instance.rack().isEmpty()) {
            // Of so much input, the distance costs more than what a follower has later.
            p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.CLIENT_RACK_CONFIG), instance.rack());
        }

        p.put(
                StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                Topics.QUARANTINE.maxMessageBytes());
        p.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), BATCH_BYTES);
        p.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 5);
        p.put(StreamsConfig.producerPrefix(ProducerConfig.BUFFER_MEMORY_CONFIG), BUFFER_BYTES);
        // The first batch of a transaction is often refused while the last one's markers are being written.
        p.put(StreamsConfig.producerPrefix(ProducerConfig.RETRY_BACKOFF_MS_CONFIG), RETRY_BACKOFF_MS);
        p.put(StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG), "none");
        return p;
    }
}
