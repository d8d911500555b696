package io.sallyport.fanout.core;

import com.google.protobuf.ByteString;
import io.sallyport.proto.log.v1.CloudMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What two requests under one msg_id are compared by: SHA-256 of every field that says what is delivered to whom. The
 * guards, max_targets and preview_token, are not part of it: they say when a request must be refused.
 */
final class MessageContent {
    private MessageContent() {}

    static ByteString hash(CloudMessage message) {
        var target = message.getTarget();
        var digest = sha256();
        number(digest, target.getTargetCase().getNumber());
        text(
                digest,
                switch (target.getTargetCase()) {
                    case SENSOR_ID -> target.getSensorId();
                    case SELECTOR -> target.getSelector();
                    case SEGMENT -> target.getSegment();
                    case FLEET, TARGET_NOT_SET -> "";
                });
        number(digest, message.getType());
        number(digest, message.getPriority());
        number(digest, message.hasTtlMs() ? message.getTtlMs() : 0);
        number(digest, message.hasJitterMs() ? message.getJitterMs() : -1);
        text(digest, message.getCoalesceKey());
        bytes(digest, message.getPayload().toByteArray());
        return ByteString.copyFrom(digest.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static void number(MessageDigest digest, long value) {
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    static void text(MessageDigest digest, String value) {
        bytes(digest, value.getBytes(StandardCharsets.UTF_8));
    }

    private static void bytes(MessageDigest digest, byte[] value) {
        number(digest, value.length);
        digest.update(value);
    }
}
