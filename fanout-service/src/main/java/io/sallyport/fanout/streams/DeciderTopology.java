package io.sallyport.fanout.streams;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.Keys;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** `ingress` in; decisions, bodies, plans and queue entries out. What is keyed by customer stays in its partition. */
final class DeciderTopology {
    /** {@code customer/msg_id} to {@code MessageDecision}: accepted messages alone, and {@link Handled}. */
    static final String DECISIONS = "decisions";
    /** {@code customer/msg_id/chunk} to {@code PlanChunk}, until the message has expired. */
    static final String PLANS = "plans";
    /** {@code customer/lane/revision} to {@code ExpansionJob}. */
    static final String BACKLOG = "backlog";

    /** {@code customer/revision} to {@code ParkedRequest}: requests that wait for this node to read on. */
    static final String PARKED = "parked";

    private static final String INGRESS = "ingress-source";
    private static final String DECIDER = "decider";

    private DeciderTopology() {}

    static Topology build(Supplier<Processor<String, byte[], String, byte[]>> decider) {
        StreamPartitioner<String, byte[]> byCustomer = (topic, key, value, partitions) ->
                Optional.of(Set.of(Slots.customerPartition(Keys.customerOf(key), partitions)));
        StreamPartitioner<String, byte[]> bySensor =
                (topic, key, value, partitions) -> Optional.of(Set.of(Slots.partition(
                        SensorKey.fromTopicKey(key)
                                .orElseThrow(() -> new IllegalStateException("an entry for what is no sensor")),
                        partitions)));
        var topology = new Topology()
                .addSource(INGRESS, new StringDeserializer(), new ByteArrayDeserializer(), Topics.INGRESS.name())
                .addProcessor(DECIDER, decider::get, INGRESS)
                .addStateStore(store(DECISIONS), DECIDER)
                .addStateStore(store(PLANS), DECIDER)
                .addStateStore(store(BACKLOG), DECIDER)
                .addStateStore(store(PARKED), DECIDER);
        for (var topic :
                java.util.List.of(Topics.MESSAGE_DECISIONS, Topics.MESSAGE_BODIES, Topics.FANOUT_PLANS, Topics.AUDIT)) {
            topology.addSink(
                    topic.name(), topic.name(), new StringSerializer(), new ByteArraySerializer(), byCustomer, DECIDER);
        }
        return topology.addSink(
                Topics.SENSOR_QUEUE.name(),
                Topics.SENSOR_QUEUE.name(),
                new StringSerializer(),
                new ByteArraySerializer(),
                bySensor,
                DECIDER);
    }

    private static StoreBuilder<KeyValueStore<String, byte[]>> store(String name) {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(name), Serdes.String(), Serdes.ByteArray())
                .withCachingDisabled();
    }
}
