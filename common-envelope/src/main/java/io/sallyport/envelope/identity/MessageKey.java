package io.sallyport.envelope.identity;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The pair that names a message (semantics, section 6): another tenant's equal msg_id is another message.
 *
 * @param customerId the syntax of {@link SensorKey}
 * @param msgId 1 to 128 bytes of {@code [A-Za-z0-9._:-]}
 */
public record MessageKey(String customerId, String msgId) implements Comparable<MessageKey> {

    /** Longest msg_id in bytes; the syntax is ASCII, so bytes and characters agree. */
    public static final int MAX_MSG_ID_BYTES = 128;

    private static final Pattern MSG_ID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
    private static final char SEPARATOR = '/';

    public MessageKey {
        if (!SensorKey.isValidId(customerId) || !isValidMsgId(msgId)) {
            throw new IllegalArgumentException("not a valid customer_id and msg_id");
        }
    }

    /** Whether {@code msgId} may name a message. */
    public static boolean isValidMsgId(String msgId) {
        return MSG_ID.matcher(msgId).matches();
    }

    /** Empty where either id breaks the syntax; use it for input that was not checked yet. */
    public static Optional<MessageKey> of(String customerId, String msgId) {
        return SensorKey.isValidId(customerId) && isValidMsgId(msgId)
                ? Optional.of(new MessageKey(customerId, msgId))
                : Optional.empty();
    }

    /** Reads a topic key made by {@link #topicKey()}; empty where the text is no such key. */
    public static Optional<MessageKey> fromTopicKey(String key) {
        int at = key.indexOf(SEPARATOR);
        return at < 0 ? Optional.empty() : of(key.substring(0, at), key.substring(at + 1));
    }

    /** {@code customer/msg_id}; neither part can hold a slash. */
    public String topicKey() {
        return customerId + SEPARATOR + msgId;
    }

    /** {@code customer/msg_id/task}: the key of `message-status`. */
    public String topicKey(int task) {
        return topicKey() + SEPARATOR + task;
    }

    /** {@code customer/msg_id/sensor}: the key of `target-status`. */
    public String topicKey(String sensorId) {
        return topicKey() + SEPARATOR + sensorId;
    }

    /** {@link #topicKey()} in bytes, as it stands in the log. */
    public byte[] topicKeyBytes() {
        return topicKey().getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public int compareTo(MessageKey other) {
        int byCustomer = customerId.compareTo(other.customerId);
        return byCustomer != 0 ? byCustomer : msgId.compareTo(other.msgId);
    }

    @Override
    public String toString() {
        return topicKey();
    }
}
