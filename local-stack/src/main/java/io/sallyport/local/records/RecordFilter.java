package io.sallyport.local.records;

import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.TopicSpec.Key;
import io.sallyport.envelope.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which records a reader wants.
 *
 * @param customer only records of this customer, none that belong to nobody; empty takes all
 * @param sensor only records of sensors with this id; empty takes all
 */
public record RecordFilter(Optional<String> customer, Optional<String> sensor) {
    private static final Set<Key> NAME_SENSORS = EnumSet.of(Key.SENSOR, Key.SENSOR_VERSION, Key.MESSAGE_SENSOR);
    private static final Set<Key> BELONG_TO_CUSTOMERS = EnumSet.of(
            Key.SENSOR,
            Key.SENSOR_VERSION,
            Key.CUSTOMER,
            Key.MESSAGE,
            Key.MESSAGE_TASK,
            Key.MESSAGE_SENSOR,
            Key.SEGMENT_CHUNK);

    public static final RecordFilter ALL = new RecordFilter(Optional.empty(), Optional.empty());

    /** Whether records that belong to nobody are wanted. */
    boolean takesControl() {
        return customer.isEmpty();
    }

    /** Decides by the key, so that a value that is not wanted is never decoded. */
    boolean takesKey(String topic, byte @Nullable [] key) {
        if (customer.isEmpty() && sensor.isEmpty()) {
            return true;
        }
        if (key == null) {
            return false;
        }
        Key kind = kindOfKey(topic);
        String[] parts = new String(key, StandardCharsets.UTF_8).split("/", -1);
        int sensorAt = kind == Key.MESSAGE_SENSOR ? 2 : 1;
        return BELONG_TO_CUSTOMERS.contains(kind)
                && customer.map(parts[0]::equals).orElse(true)
                && sensor.map(wanted -> NAME_SENSORS.contains(kind)
                                && sensorAt < parts.length
                                && wanted.equals(parts[sensorAt]))
                        .orElse(true);
    }

    /** Whether the records of a topic have a customer at all. */
    public static boolean belongsToCustomers(String topic) {
        return BELONG_TO_CUSTOMERS.contains(kindOfKey(topic));
    }

    private static Key kindOfKey(String topic) {
        return Topics.named(topic).<Key>map(TopicSpec::key).orElse(Key.SENSOR);
    }
}
