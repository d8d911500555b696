package io.sallyport.router.streams;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.router.core.SensorState;
import io.sallyport.router.core.Settled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** The stores of one task: a queue for each sensor, a row for each settled target. */
final class SensorStores {
    private final KeyValueStore<String, byte[]> sensors;
    private final KeyValueStore<String, byte[]> settled;

    SensorStores(KeyValueStore<String, byte[]> sensors, KeyValueStore<String, byte[]> settled) {
        this.sensors = sensors;
        this.settled = settled;
    }

    SensorState state(SensorKey sensor) {
        byte[] stored = sensors.get(sensor.topicKey());
        return stored == null ? SensorState.EMPTY : StateCodec.sensor(stored);
    }

    void put(SensorKey sensor, SensorState state) {
        sensors.put(sensor.topicKey(), StateCodec.encode(state));
    }

    Optional<Settled> settled(SensorKey sensor, String msgId) {
        return Optional.ofNullable(settled.get(settledKey(sensor, msgId))).map(StateCodec::settled);
    }

    List<Settled> allSettled(SensorKey sensor) {
        var found = new ArrayList<Settled>();
        try (KeyValueIterator<String, byte[]> rows =
                settled.prefixScan(settledKey(sensor, ""), new StringSerializer())) {
            rows.forEachRemaining(row -> found.add(StateCodec.settled(row.value)));
        }
        return found;
    }

    void remember(SensorKey sensor, Settled target) {
        settled.put(settledKey(sensor, target.msgId()), StateCodec.encode(target));
    }

    void forget(SensorKey sensor, Settled target) {
        settled.delete(settledKey(sensor, target.msgId()));
    }

    /** Only at the start of a task: what is kept in memory is found again. */
    void forEach(BiConsumer<SensorKey, SensorState> visitor) {
        try (KeyValueIterator<String, byte[]> rows = sensors.all()) {
            while (rows.hasNext()) {
                KeyValue<String, byte[]> row = rows.next();
                SensorKey sensor = SensorKey.fromTopicKey(row.key)
                        .orElseThrow(() -> new IllegalStateException("the store holds a key that is no sensor"));
                visitor.accept(sensor, StateCodec.sensor(row.value));
            }
        }
    }

    /** The syntax of ids forbids a slash, so no sensor's rows begin with another's. */
    private static String settledKey(SensorKey sensor, String msgId) {
        return sensor.topicKey() + "/" + msgId;
    }
}
