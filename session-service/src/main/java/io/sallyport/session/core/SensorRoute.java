package io.sallyport.session.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;

/**
 * A sensor with what its records are routed by, computed once per session.
 *
 * @param topicKey as it stands in the log; not to be changed
 * @param slot of the shard map
 */
public record SensorRoute(SensorKey sensor, byte[] topicKey, int slot) {
    public static SensorRoute of(SensorKey sensor) {
        return new SensorRoute(sensor, sensor.topicKeyBytes(), Slots.of(sensor));
    }
}
