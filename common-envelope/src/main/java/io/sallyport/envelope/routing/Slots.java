package io.sallyport.envelope.routing;

import io.sallyport.envelope.hash.Blake3;
import io.sallyport.envelope.identity.SensorKey;
import java.nio.charset.StandardCharsets;

/**
 * The routing slot of a sensor: the high 12 bits of BLAKE3-128 over its routing key (semantics, section 8). The slot is
 * only a granularity of the shard map and is never stored in a key.
 */
public final class Slots {
    /** Number of slots; a deployment has at most as many shards. */
    public static final int COUNT = 4_096;

    private Slots() {}

    /** customer_id and sensor_id, each behind its length as one unsigned byte: no two pairs have the same key. */
    public static byte[] routingKey(SensorKey sensor) {
        byte[] customer = sensor.customerId().getBytes(StandardCharsets.US_ASCII);
        byte[] id = sensor.sensorId().getBytes(StandardCharsets.US_ASCII);
        var key = new byte[2 + customer.length + id.length];
        key[0] = (byte) customer.length;
        System.arraycopy(customer, 0, key, 1, customer.length);
        key[1 + customer.length] = (byte) id.length;
        System.arraycopy(id, 0, key, 2 + customer.length, id.length);
        return key;
    }

    /** 0 … 4,095. */
    public static int of(SensorKey sensor) {
        return ofHash(Blake3.hash(routingKey(sensor), 16));
    }

    /** The slot of a hash: its first 12 bits, read as unsigned. */
    public static int ofHash(byte[] hash) {
        return ((hash[0] & 0xFF) << 4) | ((hash[1] & 0xFF) >>> 4);
    }

    /** The partition of a topic with a fixed partition count that is keyed by sensor. */
    public static int partition(SensorKey sensor, int partitions) {
        return of(sensor) % partitions;
    }

    /**
     * The partition of a topic that is keyed by customer, or by customer and message: all that a customer publishes, and
     * what became of it, stands in one partition, in order.
     */
    public static int customerPartition(String customerId, int partitions) {
        return ofHash(Blake3.hash(customerId.getBytes(StandardCharsets.US_ASCII), 16)) % partitions;
    }
}
