package io.sallyport.normalizer.streams;

import io.sallyport.envelope.identity.SensorKey;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;

/**
 * Keys of the one store of a task. One store, since every store is a changelog topic of its own, and each of its
 * partitions takes a marker in every transaction. A sensor's parts begin with its key, which holds no zero byte.
 */
final class StoreKeys {
    private static final byte CURSOR = 0;
    private static final byte HEAD = 1;
    private static final byte EPOCH = 2;
    private static final byte CHUNK = 3;
    private static final byte LEAVES = 4;
    private static final byte ROLE = 5;
    /** What is remembered of sensors lies between these two. */
    static final Bytes FIRST_OF_SENSORS = Bytes.wrap(new byte[] {HEAD});

    static final Bytes END_OF_SENSORS = Bytes.wrap(new byte[] {LEAVES});

    private StoreKeys() {}

    static Bytes cursor(int partition) {
        return Bytes.wrap(ByteBuffer.allocate(5).put(CURSOR).putInt(partition).array());
    }

    static Bytes role(int partition) {
        return Bytes.wrap(ByteBuffer.allocate(5).put(ROLE).putInt(partition).array());
    }

    /** Leaves of the open proof segment of a partition; the next segment takes the same keys again. */
    static Bytes leaves(int partition, int chunk) {
        return Bytes.wrap(ByteBuffer.allocate(9)
                .put(LEAVES)
                .putInt(partition)
                .putInt(chunk)
                .array());
    }

    static Bytes head(SensorKey sensor) {
        return Bytes.wrap(sensor(HEAD, sensor, 0).array());
    }

    static Bytes epoch(SensorKey sensor, long epoch) {
        return Bytes.wrap(sensor(EPOCH, sensor, 4).putInt((int) epoch).array());
    }

    static Bytes chunk(SensorKey sensor, long epoch, long index) {
        return Bytes.wrap(
                sensor(CHUNK, sensor, 12).putInt((int) epoch).putLong(index).array());
    }

    private static ByteBuffer sensor(byte kind, SensorKey sensor, int more) {
        byte[] key = sensor.topicKeyBytes();
        return ByteBuffer.allocate(2 + key.length + more).put(kind).put(key).put((byte) 0);
    }
}
