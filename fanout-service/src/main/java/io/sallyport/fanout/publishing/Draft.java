package io.sallyport.fanout.publishing;

import com.google.protobuf.ByteString;
import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.proto.log.v1.CloudMessage;
import org.jspecify.annotations.Nullable;

/**
 * A message as a caller wrote it; null, or the empty string, is what it did not write.
 *
 * @param type its name in the registry
 * @param delivery what else it asks for
 */
public record Draft(
        String customerId,
        String msgId,
        TargetDraft target,
        String type,
        String coalesceKey,
        @Nullable ByteString payload,
        Delivery delivery) {

    public record Delivery(
            @Nullable Long priority,
            @Nullable Long ttlMs,
            @Nullable Long maxTargets,
            @Nullable Long jitterMs,
            String previewToken) {}

    Answer<CloudMessage> message() {
        return target.target().then(named -> {
            Long priority = delivery.priority();
            Long maxTargets = delivery.maxTargets();
            if (priority != null && (priority < 0 || priority > Integer.MAX_VALUE)) {
                return Answer.refused(ErrorCode.BAD_FIELD.because("priority must be 0 to " + Integer.MAX_VALUE));
            }
            if (maxTargets != null && (maxTargets < 1 || maxTargets > Integer.MAX_VALUE)) {
                return Answer.refused(ErrorCode.BAD_FIELD.because("max_targets must be 1 to " + Integer.MAX_VALUE));
            }
            if (payload == null) {
                // Forgotten is not empty: some types mean something by an empty payload.
                return Answer.refused(ErrorCode.MISSING_PAYLOAD.because("payload is missing"));
            }
            var message = CloudMessage.newBuilder()
                    .setCustomerId(customerId)
                    .setMsgId(msgId)
                    .setTarget(named)
                    .setCoalesceKey(coalesceKey)
                    .setPayload(payload)
                    .setPriority(priority == null ? 0 : priority.intValue())
                    .setMaxTargets(maxTargets == null ? 0 : maxTargets.intValue())
                    .setPreviewToken(delivery.previewToken());
            Long ttlMs = delivery.ttlMs();
            if (ttlMs != null) {
                message.setTtlMs(ttlMs);
            }
            Long jitterMs = delivery.jitterMs();
            if (jitterMs != null) {
                message.setJitterMs(jitterMs);
            }
            return Answer.of(message.build());
        });
    }
}
