package io.sallyport.normalizer.streams;

import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.Limits;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
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
 * `raw` → one processor with one store → `structured`, `coverage`, `quarantine`, `proof-segments`, each in the raw record's
 * partition.
 */
public final class NormalizerTopology {
    /** The incarnation of the normalizer whose records these are; part of the application id. */
    public static final int GENERATION = 0;

    static final String STORE = "dedupe";
    static final String TO_STRUCTURED = "to-structured";
    static final String TO_COVERAGE = "to-coverage";
    static final String TO_QUARANTINE = "to-quarantine";
    static final String TO_PROOF = "to-proof";
    private static final String FROM_RAW = "from-raw";
    private static final String NORMALIZE = "normalize";

    private NormalizerTopology() {}

    /**
     * @param registered whether an event type may stand in a batch; may block to make sure
     * @param cell whose record it is; bound by every proof segment
     * @param segmentBytes segment size of the changelog: small ones are compacted, and so restored, sooner
     */
    public static Topology build(
            Limits limits, IntPredicate registered, NormalizerMetrics metrics, String cell, int segmentBytes) {
        var topology = new Topology();
        topology.addSource(FROM_RAW, new ByteArrayDeserializer(), new ByteArrayDeserializer(), Topics.RAW.name());
        topology.addProcessor(
                NORMALIZE, () -> new NormalizerProcessor(limits, registered, metrics, cell, GENERATION), FROM_RAW);
        topology.addStateStore(store(segmentBytes), NORMALIZE);
        sink(topology, TO_STRUCTURED, Topics.STRUCTURED);
        sink(topology, TO_COVERAGE, Topics.COVERAGE);
        sink(topology, TO_QUARANTINE, Topics.QUARANTINE);
        sink(topology, TO_PROOF, Topics.PROOF_SEGMENTS);
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
