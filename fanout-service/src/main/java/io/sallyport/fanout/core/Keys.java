package io.sallyport.fanout.core;

import io.sallyport.envelope.identity.SensorKey;
import java.util.regex.Pattern;

/**
 * Names of messages and segments, and the keys made of them. No part may hold a slash, so no two tenants share a key.
 */
public final class Keys {
    private static final Pattern MSG_ID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

    private Keys() {}

    public static boolean isValidMsgId(String msgId) {
        return MSG_ID.matcher(msgId).matches();
    }

    /** A segment's name has the syntax of an id. */
    public static boolean isValidSegment(String name) {
        return SensorKey.isValidId(name);
    }

    /** {@code customer/msg_id}. */
    public static String message(String customerId, String msgId) {
        return customerId + '/' + msgId;
    }

    /** {@code customer/msg_id/chunk}, in order of the chunks. */
    public static String chunk(String customerId, String msgId, int chunk) {
        return "%s/%s/%06d".formatted(customerId, msgId, chunk);
    }

    /** {@code customer/msg_id/sensor}. */
    public static String target(String customerId, String msgId, String sensorId) {
        return customerId + '/' + msgId + '/' + sensorId;
    }

    /** {@code customer/msg_id/task}, the task of the router that counted. */
    public static String partial(String customerId, String msgId, int task) {
        return customerId + '/' + msgId + '/' + Integer.toUnsignedString(task);
    }

    /** {@code customer/name/version/chunk}, in order of versions and chunks. */
    public static String segmentChunk(String customerId, String name, long version, int chunk) {
        return "%s/%s/%020d/%06d".formatted(customerId, name, version, chunk);
    }

    /** The customer of any key of this class. */
    public static String customerOf(String key) {
        int at = key.indexOf('/');
        return at < 0 ? key : key.substring(0, at);
    }
}
