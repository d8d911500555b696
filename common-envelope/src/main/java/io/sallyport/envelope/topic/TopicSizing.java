package io.sallyport.envelope.topic;

/**
 * How large the topics of one deployment are.
 *
 * @param shardsMax partitions of `raw` and `structured`, never altered; the shard map decides which are used
 * @param sensorPartitions partitions of the control topics that are keyed by sensor
 * @param nodesMax partitions of `epoch-answers` and `session-push`: one per node ordinal
 * @param replication replicas of each partition
 * @param minInsync replicas that must have a record before it counts as durable
 * @param tieredStorage whether the brokers move what is older than {@link RetentionTier#HOT} to an object store; needs
 *     brokers that are set up for it
 */
public record TopicSizing(
        int shardsMax, int sensorPartitions, int nodesMax, int replication, int minInsync, boolean tieredStorage) {
    /** One broker on one machine. */
    public static final TopicSizing LOCAL = new TopicSizing(8, 8, 8, 1, 1, false);
    /** A cell of about 100 tenants on at least three brokers. */
    public static final TopicSizing CELL = new TopicSizing(64, 64, 256, 3, 2, false);

    public TopicSizing {
        if (shardsMax < 1 || sensorPartitions < 1 || nodesMax < 1 || minInsync < 1 || replication < minInsync) {
            throw new IllegalArgumentException("topic sizing is out of range");
        }
    }

    /** The same topics, where the brokers have tiered storage. */
    public TopicSizing withTieredStorage() {
        return new TopicSizing(shardsMax, sensorPartitions, nodesMax, replication, minInsync, true);
    }
}
