package io.sallyport.normalizer.streams;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.normalizer.core.SensorStore;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/** One sensor's part of the task's store. */
record StoredSensor(Entries store, SensorKey sensor) implements SensorStore {
    /** The store, of all sensors of a shard. */
    interface Entries {
        byte @Nullable [] get(Bytes key);

        void put(Bytes key, byte[] value);

        void delete(Bytes key);
    }

    StoredSensor(KeyValueStore<Bytes, byte[]> store, SensorKey sensor) {
        this(
                new Entries() {
                    @Override
                    public byte @Nullable [] get(Bytes key) {
                        return store.get(key);
                    }

                    @Override
                    public void put(Bytes key, byte[] value) {
                        store.put(key, value);
                    }

                    @Override
                    public void delete(Bytes key) {
                        store.delete(key);
                    }
                },
                sensor);
    }

    @Override
    public byte @Nullable [] head() {
        return store.get(StoreKeys.head(sensor));
    }

    @Override
    public void putHead(byte[] head) {
        store.put(StoreKeys.head(sensor), head);
    }

    @Override
    public byte @Nullable [] epoch(long epoch) {
        return store.get(StoreKeys.epoch(sensor, epoch));
    }

    @Override
    public void putEpoch(long epoch, byte[] state) {
        store.put(StoreKeys.epoch(sensor, epoch), state);
    }

    @Override
    public void deleteEpoch(long epoch) {
        store.delete(StoreKeys.epoch(sensor, epoch));
    }

    @Override
    public byte @Nullable [] chunk(long epoch, long index) {
        return store.get(StoreKeys.chunk(sensor, epoch, index));
    }

    @Override
    public void putChunk(long epoch, long index, byte[] chunk) {
        store.put(StoreKeys.chunk(sensor, epoch, index), chunk);
    }

    @Override
    public void deleteChunk(long epoch, long index) {
        store.delete(StoreKeys.chunk(sensor, epoch, index));
    }
}
