package io.sallyport.session.streams;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import java.nio.charset.StandardCharsets;
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

/** `epoch-claims` in; `epoch-table`, `sessions` and `epoch-answers` out, over the store {@value #STORE}. */
public final class EpochTopology {
    /** Sensor to {@code EpochState}. */
    public static final String STORE = "epoch-state";

    static final String TABLE = "table";
    static final String SESSIONS = "directory";
    static final String ANSWERS = "answers";
    private static final String CLAIMS = "claims";
    private static final String AUTHORITY = "authority";

    private EpochTopology() {}

    public static Topology build(TopicSizing sizing, EpochMeters meters) {
        int nodes = Topics.EPOCH_ANSWERS.partitions(sizing);
        // The topics that are keyed by sensor share one partition count, so a task writes where it reads.
        StreamPartitioner<byte[], byte[]> bySensor =
                (topic, key, value, partitions) -> Optional.of(Set.of(partitionOf(key, partitions)));
        StreamPartitioner<byte[], AddressedAnswer> byNode =
                (topic, key, value, partitions) -> Optional.of(Set.of(value.node()));
        Serializer<AddressedAnswer> answers = (topic, value) -> value.answer().toByteArray();
        var bytes = new ByteArraySerializer();
        return new Topology()
                .addSource(CLAIMS, new ByteArrayDeserializer(), new ByteArrayDeserializer(), Topics.EPOCH_CLAIMS.name())
                .addProcessor(AUTHORITY, () -> new EpochProcessor(meters, nodes), CLAIMS)
                .addStateStore(store(), AUTHORITY)
                .addSink(TABLE, Topics.EPOCH_TABLE.name(), bytes, bytes, bySensor, AUTHORITY)
                .addSink(SESSIONS, Topics.SESSIONS.name(), bytes, bytes, bySensor, AUTHORITY)
                .addSink(ANSWERS, Topics.EPOCH_ANSWERS.name(), bytes, answers, byNode, AUTHORITY);
    }

    private static StoreBuilder<KeyValueStore<String, byte[]>> store() {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Serdes.String(), Serdes.ByteArray())
                .withCachingDisabled();
    }

    private static int partitionOf(byte[] key, int partitions) {
        SensorKey sensor = SensorKey.fromTopicKey(new String(key, StandardCharsets.UTF_8))
                .orElseThrow(() -> new IllegalStateException("a key that is no sensor was forwarded"));
        return Slots.partition(sensor, partitions);
    }
}
