package io.sallyport.router.streams;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.router.core.Bodies;
import io.sallyport.router.core.Control;
import io.sallyport.router.core.Limits;
import io.sallyport.router.metrics.RouterMeters;
import io.sallyport.tracing.CommandTraces;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * `sensor-queue`, `sessions` and `command-results` in, which share one partition count, so that a task has all of a
 * sensor; `session-push`, `message-status`, `target-status` and `coverage` out.
 */
public final class RouterTopology {
    /** Sensor to {@code SensorQueue}. */
    public static final String SENSORS_STORE = "sensor-queues";
    /** Sensor and msg_id to {@code SettledTarget}. */
    public static final String SETTLED_STORE = "settled-targets";
    /** Message to {@code MessageCounts}. */
    public static final String COUNTS_STORE = "message-counts";

    static final String PUSH = "push";
    static final String STATUS = "status";
    static final String TARGETS = "targets";
    static final String MARKERS = "markers";
    private static final String QUEUE = "queue";
    private static final String DIRECTORY = "directory";
    private static final String RESULTS = "results";
    private static final String ROUTER = "router";

    private RouterTopology() {}

    /**
     * What the topology decides by.
     *
     * @param limits of the queues
     * @param traces what traced messages tell of their steps
     */
    public record Parts(Limits limits, Bodies bodies, Control control, RouterMeters meters, CommandTraces traces) {}

    public static Topology build(TopicSizing sizing, Parts parts) {
        StreamPartitioner<byte[], Addressed> addressed =
                (topic, key, value, partitions) -> Optional.of(Set.of(value.partition()));
        Serializer<Addressed> values = (topic, value) -> value.bytes();
        var keys = new ByteArraySerializer();
        var bytes = new ByteArrayDeserializer();
        return new Topology()
                .addSource(QUEUE, bytes, bytes, Topics.SENSOR_QUEUE.name())
                .addSource(DIRECTORY, bytes, bytes, Topics.SESSIONS.name())
                .addSource(RESULTS, bytes, bytes, Topics.COMMAND_RESULTS.name())
                .addProcessor(ROUTER, () -> new RouterProcessor(sizing, parts), QUEUE, DIRECTORY, RESULTS)
                .addStateStore(store(SENSORS_STORE).withCachingDisabled(), ROUTER)
                .addStateStore(store(SETTLED_STORE).withCachingDisabled(), ROUTER)
                // Of the counts of a message to many sensors, only the last between two commits goes to the changelog.
                // The others change once or twice, and a cached row keeps the whole record alive that changed it.
                .addStateStore(store(COUNTS_STORE).withCachingEnabled(), ROUTER)
                .addSink(PUSH, Topics.SESSION_PUSH.name(), keys, values, addressed, ROUTER)
                .addSink(STATUS, Topics.MESSAGE_STATUS.name(), keys, values, addressed, ROUTER)
                .addSink(TARGETS, Topics.TARGET_STATUS.name(), keys, values, addressed, ROUTER)
                .addSink(MARKERS, Topics.COVERAGE.name(), keys, values, addressed, ROUTER);
    }

    private static StoreBuilder<KeyValueStore<String, byte[]>> store(String name) {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(name), Serdes.String(), Serdes.ByteArray());
    }
}
