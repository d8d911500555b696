package io.sallyport.envelope.identity;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The pair that names a sensor: its tenant and its own id, both compared byte for byte. Only this type may reach a
 * topic key, a path or a log line; a value that does not match the syntax never becomes one.
 *
 * @param customerId {@code [A-Za-z0-9][A-Za-z0-9._-]{0,63}} without {@code ..} (sensor link, section 1)
 * @param sensorId the same syntax
 */
public record SensorKey(String customerId, String sensorId) implements Comparable<SensorKey> {

    /** Longest id in bytes; the syntax is ASCII, so bytes and characters agree. */
    public static final int MAX_ID_BYTES = 64;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final char SEPARATOR = '/';

    public SensorKey {
        if (!isValidId(customerId) || !isValidId(sensorId)) {
            throw new IllegalArgumentException("not a valid customer_id and sensor_id");
        }
    }

    /** Whether {@code id} may name a customer or a sensor. */
    public static boolean isValidId(String id) {
        return ID.matcher(id).matches() && !id.contains("..");
    }

    /** Empty where either id breaks the syntax; use it for input that was not checked yet. */
    public static Optional<SensorKey> of(String customerId, String sensorId) {
        return isValidId(customerId) && isValidId(sensorId)
                ? Optional.of(new SensorKey(customerId, sensorId))
                : Optional.empty();
    }

    /** Reads a topic key made by {@link #topicKey()}; empty where the bytes are no such key. */
    public static Optional<SensorKey> fromTopicKey(String key) {
        int at = key.indexOf(SEPARATOR);
        return at < 0 ? Optional.empty() : of(key.substring(0, at), key.substring(at + 1));
    }

    /** {@code customer/sensor}: the key of every topic that is keyed by sensor. The syntax forbids a slash inside. */
    public String topicKey() {
        return customerId + SEPARATOR + sensorId;
    }

    /** {@link #topicKey()} in UTF-8, as it stands in the log. */
    public byte[] topicKeyBytes() {
        return topicKey().getBytes(StandardCharsets.US_ASCII);
    }

    /** {@code sensor://customer/sensor}: the one URI SAN of a sensor's client certificate. */
    public String uriSan() {
        return "sensor://" + topicKey();
    }

    @Override
    public int compareTo(SensorKey other) {
        int byCustomer = customerId.compareTo(other.customerId);
        return byCustomer != 0 ? byCustomer : sensorId.compareTo(other.sensorId);
    }

    @Override
    public String toString() {
        return topicKey();
    }
}
