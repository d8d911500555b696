package io.sallyport.normalizer.streams;

import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * `raw` → one processor with one store → `structured`, `coverage`, `quarantine`, `proof-segments`, `normalizer-snapshots`,
 * each in the raw record's partition.
 */
public final class NormalizerTopology {
    static final String STORE = "dedupe";
    static final String TO_STRUCTURED = "to-structured";
    static final String TO_COVERAGE = "to-coverage";
    static final String TO_QUARANTINE = "to-quarantine";
    static final String TO_PROOF = "to-proof";
    static final String TO_SNAPSHOTS = "to-snapshots";
    private static final String FROM_RAW = "from-raw";
    private static final String NORMALIZE = "normalize";
    /** Between the copies of two shards' state. */
    private static final int COMMITS_APART = 2;

    private NormalizerTopology() {}

    /**
     * @param deciders gives each task its own
     * @param predecessors asked where a shard is begun
     */
    static Topology build(
            StreamsSettings settings,
            Incarnation incarnation,
            Supplier<Decider> deciders,
            Predecessors predecessors,
            NormalizerMetrics metrics) {
        var turns = new SnapshotTurns(settings.snapshotEveryMs(), COMMITS_APART * settings.commitIntervalMs());
        var topology = new Topology();
        topology.addSource(FROM_RAW, new ByteArrayDeserializer(), new ByteArrayDeserializer(), Topics.RAW.name());
        topology.addProcessor(
                NORMALIZE,
                () -> new NormalizerProcessor(deciders, metrics, settings.cell(), incarnation, predecessors, turns),
                FROM_RAW);
        topology.addStateStore(store(StreamsSettings.CHANGELOG_SEGMENT_BYTES), NORMALIZE);
        sink(topology, TO_STRUCTURED, Topics.STRUCTURED);
        sink(topology, TO_COVERAGE, Topics.COVERAGE);
        sink(topology, TO_QUARANTINE, Topics.QUARANTINE);
        sink(topology, TO_PROOF, Topics.PROOF_SEGMENTS);
        sink(topology, TO_SNAPSHOTS, Topics.NORMALIZER_SNAPSHOTS);
        return topology;
    }

    private static StoreBuilder<KeyValueStore<Bytes, byte[]>> store(int segmentBytes) {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Serdes.Bytes(), Serdes.ByteArray())
                // A cached entry would keep the whole source record alive, 1 MiB each, which the cache's bound does
                // not count.
                .withCachingDisabled()
                .withLoggingEnabled(
                        Map.of("segment.bytes", Integer.toString(segmentBytes), "min.cleanable.dirty.ratio", "0.2"));
    }

    private static void sink(Topology topology, String name, TopicSpec<?> topic) {
        StreamPartitioner<byte[], Outgoing> ofRaw =
                (to, key, value, partitions) -> Optional.of(Set.of(value.partition()));
        topology.addSink(name, topic.name(), new ByteArraySerializer(), Outgoing.serializer(), ofRaw, NORMALIZE);
    }
}
