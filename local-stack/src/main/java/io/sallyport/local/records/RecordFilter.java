package io.sallyport.local.records;

import io.sallyport.envelope.identity.SensorKey;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which records a reader wants.
 *
 * @param customer only records of this customer, and no control records; empty takes all
 * @param sensor only records of sensors with this id; empty takes all
 */
public record RecordFilter(Optional<String> customer, Optional<String> sensor) {
    public static final RecordFilter ALL = new RecordFilter(Optional.empty(), Optional.empty());

    boolean takesControl() {
        return customer.isEmpty();
    }

    /** Decides by the key, so that a value that is not wanted is never decoded. */
    boolean takesKey(byte @Nullable [] key) {
        if (customer.isEmpty() && sensor.isEmpty()) {
            return true;
        }
        Optional<SensorKey> found =
                key == null ? Optional.empty() : SensorKey.fromTopicKey(new String(key, StandardCharsets.UTF_8));
        return found.isPresent()
                && customer.map(found.get().customerId()::equals).orElse(true)
                && sensor.map(found.get().sensorId()::equals).orElse(true);
    }
}
