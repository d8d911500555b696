package io.sallyport.fanout.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(name = "PreviewRequest")
record PreviewBody(
        @JsonProperty("customer_id") @Nullable String customerId,

        @JsonProperty("target") @Schema(requiredMode = Schema.RequiredMode.REQUIRED) @Nullable
        TargetBody target) {}
