package io.sallyport.fanout.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.protobuf.ByteString;
import io.sallyport.fanout.publishing.Draft;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(name = "PublishRequest")
record PublishBody(
        @JsonProperty("customer_id")
        @Schema(description = "May be absent where the token names exactly one customer")
        @Nullable
        String customerId,

        @JsonProperty("msg_id")
        @Schema(
                requiredMode = Schema.RequiredMode.REQUIRED,
                description = "1 to 128 bytes of [A-Za-z0-9._:-]; the idempotency key")
        @Nullable
        String msgId,

        @JsonProperty("target") @Schema(requiredMode = Schema.RequiredMode.REQUIRED) @Nullable
        TargetBody target,

        @JsonProperty("type") @Schema(requiredMode = Schema.RequiredMode.REQUIRED, example = "CONFIG_UPDATE") @Nullable
        String type,

        @JsonProperty("priority") @Nullable Long priority,

        @JsonProperty("ttl_ms") @Schema(description = "Absent: the type's default; at most 30 days") @Nullable
        Long ttlMs,

        @JsonProperty("coalesce_key") @Nullable String coalesceKey,

        @JsonProperty("payload")
        @Schema(
                requiredMode = Schema.RequiredMode.REQUIRED,
                type = "string",
                format = "byte",
                description = "Base64; an empty text for an empty payload")
        byte @Nullable [] payload,

        @JsonProperty("max_targets") @Schema(description = "Bound on the resolved count; absent: the default") @Nullable
        Long maxTargets,

        @JsonProperty("preview_token") @Nullable String previewToken,

        @JsonProperty("jitter_ms")
        @Schema(description = "Window over which deliveries are spread, instead of 1 ms per target")
        @Nullable
        Long jitterMs) {

    Draft draft(String customer) {
        return new Draft(
                customer,
                text(msgId),
                TargetBody.draft(target),
                text(type),
                text(coalesceKey),
                payload == null ? null : ByteString.copyFrom(payload),
                new Draft.Delivery(priority, ttlMs, maxTargets, jitterMs, text(previewToken)));
    }

    static String text(@Nullable String text) {
        return text == null ? "" : text;
    }
}
