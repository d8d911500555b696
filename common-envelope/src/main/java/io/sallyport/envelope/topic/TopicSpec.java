package io.sallyport.envelope.topic;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One topic of the system: everything that a broker, a reader or a document has to say about it comes from here.
 *
 * @param name as it is on the broker
 * @param key what the key is
 * @param value parser of the value; empty for `raw`, whose values are as received
 * @param width how its partition count follows from the deployment's sizing
 * @param cleanup what the broker may throw away
 * @param retention how long a record stays at least; zero for a compacted topic
 * @param localRetention how long a record stays on the brokers' own disks where tiered storage is on; empty: always
 * @param maxMessageBytes largest record, its key and headers included
 */
public record TopicSpec<V extends MessageLite>(
        String name,
        Key key,
        Optional<Parser<V>> value,
        Width width,
        Cleanup cleanup,
        Duration retention,
        Optional<Duration> localRetention,
        int maxMessageBytes) {

    public TopicSpec {
        if (localRetention.isPresent()
                && (cleanup != Cleanup.DELETE || localRetention.get().compareTo(retention) > 0)) {
            throw new IllegalArgumentException(name + " cannot be tiered: it is compacted, or kept for less than that");
        }
    }

    /** A topic that stays on the brokers' own disks. */
    public TopicSpec(
            String name,
            Key key,
            Optional<Parser<V>> value,
            Width width,
            Cleanup cleanup,
            Duration retention,
            int maxMessageBytes) {
        this(name, key, value, width, cleanup, retention, Optional.empty(), maxMessageBytes);
    }

    /** What a record's key is; all keys are text. */
    public enum Key {
        /** {@code customer/sensor}. */
        SENSOR,
        /** {@code customer/sensor/version}. */
        SENSOR_VERSION,
        /** The customer id. */
        CUSTOMER,
        /** {@code customer/msg_id}. */
        MESSAGE,
        /** {@code customer/msg_id/task}. */
        MESSAGE_TASK,
        /** {@code customer/msg_id/sensor}. */
        MESSAGE_SENSOR,
        /** {@code customer/name/version/chunk}. */
        SEGMENT_CHUNK,
        /** {@code shard/generation}. */
        TREE,
        /** The name of the cell. */
        CELL,
        /** A number in decimal. */
        NUMBER
    }

    /** How many partitions a topic has. */
    public enum Width {
        SHARDS,
        SENSORS,
        NODES,
        SINGLE
    }

    public enum Cleanup {
        DELETE,
        COMPACT
    }

    public int partitions(TopicSizing sizing) {
        return switch (width) {
            case SHARDS -> sizing.shardsMax();
            case SENSORS -> sizing.sensorPartitions();
            case NODES -> sizing.nodesMax();
            case SINGLE -> 1;
        };
    }

    /** The topic's configuration in the broker's own terms; what is not named stays at the broker's default. */
    public Map<String, String> configs(TopicSizing sizing) {
        var configs = new TreeMap<String, String>();
        configs.put("min.insync.replicas", Integer.toString(sizing.minInsync()));
        configs.put("max.message.bytes", Integer.toString(maxMessageBytes));
        configs.put("message.timestamp.type", "LogAppendTime");
        configs.put("unclean.leader.election.enable", "false");
        configs.put("compression.type", "producer");
        if (cleanup == Cleanup.COMPACT) {
            configs.put("cleanup.policy", "compact");
        } else {
            configs.put("cleanup.policy", "delete");
            configs.put("retention.ms", Long.toString(retention.toMillis()));
            // A segment is deleted as a whole: roll it often enough for the retention to hold.
            configs.put("segment.ms", Long.toString(Math.max(60_000, retention.toMillis() / 12)));
        }
        if (sizing.tieredStorage()) {
            localRetention.ifPresent(local -> {
                configs.put("remote.storage.enable", "true");
                configs.put("local.retention.ms", Long.toString(local.toMillis()));
            });
        }
        return configs;
    }
}
