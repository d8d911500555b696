package io.sallyport.fanout.core;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CloudMessage;
import io.sallyport.proto.log.v1.Target;
import java.util.Optional;

/** What can be said of a message without knowing anything else. Both the edge and the decider ask it. */
public final class MessageRules {
    private final FanoutLimits limits;

    public MessageRules(FanoutLimits limits) {
        this.limits = limits;
    }

    /** Why the message can never be accepted; empty where it may be. */
    public Optional<Refusal> check(CloudMessage message) {
        if (!Keys.isValidMsgId(message.getMsgId())) {
            return Optional.of(ErrorCode.BAD_MSG_ID.because("msg_id breaks the syntax"));
        }
        if (message.getPayload().size() > limits.maxPayloadBytes()) {
            return Optional.of(ErrorCode.PAYLOAD_TOO_LARGE.because("the payload has %d bytes, at most %d are allowed"
                    .formatted(message.getPayload().size(), limits.maxPayloadBytes())));
        }
        if (message.hasTtlMs() && (message.getTtlMs() <= 0 || message.getTtlMs() > Topics.MAX_TTL.toMillis())) {
            return Optional.of(ErrorCode.BAD_TTL.because(
                    "ttl_ms is %d; leave it out for the type's default".formatted(message.getTtlMs())));
        }
        if (message.hasJitterMs() && (message.getJitterMs() < 0 || message.getJitterMs() > limits.maxJitterMs())) {
            return Optional.of(ErrorCode.BAD_FIELD.because("jitter_ms must be 0 to " + limits.maxJitterMs()));
        }
        if (message.getPriority() < 0 || message.getMaxTargets() < 0) {
            return Optional.of(ErrorCode.BAD_FIELD.because("priority and max_targets must be below 2^31"));
        }
        if (ByteString.copyFromUtf8(message.getCoalesceKey()).size() > FanoutLimits.MAX_COALESCE_KEY_BYTES) {
            return Optional.of(ErrorCode.BAD_FIELD.because(
                    "coalesce_key is longer than " + FanoutLimits.MAX_COALESCE_KEY_BYTES + " bytes"));
        }
        if (!message.getPreviewToken().isEmpty()
                && PreviewToken.parse(message.getPreviewToken()).isEmpty()) {
            return Optional.of(ErrorCode.BAD_PREVIEW_TOKEN.because("preview_token is not from a preview"));
        }
        return checkTarget(message.getTarget());
    }

    /** The same for a target alone; a selector's text is looked at by its parser. */
    public Optional<Refusal> checkTarget(Target target) {
        return switch (target.getTargetCase()) {
            case SENSOR_ID ->
                SensorKey.isValidId(target.getSensorId())
                        ? Optional.empty()
                        : Optional.of(ErrorCode.BAD_SENSOR_ID.because("sensor_id breaks the syntax"));
            case FLEET ->
                target.getFleet()
                        ? Optional.empty()
                        : Optional.of(ErrorCode.EMPTY_SELECTOR.because("fleet is false, so nothing is named"));
            case SELECTOR ->
                target.getSelector().isBlank()
                        ? Optional.of(ErrorCode.EMPTY_SELECTOR.because("the selector is empty"))
                        : Optional.empty();
            case SEGMENT ->
                Keys.isValidSegment(target.getSegment())
                        ? Optional.empty()
                        : Optional.of(ErrorCode.BAD_SEGMENT.because("the segment's name breaks the syntax"));
            case TARGET_NOT_SET -> Optional.of(ErrorCode.EMPTY_SELECTOR.because("the request names no target"));
        };
    }
}
