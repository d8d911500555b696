package io.sallyport.fanout.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.sallyport.fanout.publishing.TargetDraft;
import io.sallyport.proto.log.v1.Target;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(name = "Target", description = "Exactly one of the four")
@JsonInclude(JsonInclude.Include.NON_NULL)
record TargetBody(
        @JsonProperty("sensor_id") @Nullable String sensorId,

        @JsonProperty("fleet") @Schema(description = "true: every known sensor of the customer") @Nullable
        Boolean fleet,

        @JsonProperty("selector") @Schema(description = "Expression over endpoint metadata") @Nullable
        String selector,

        @JsonProperty("segment") @Nullable String segment) {

    static TargetDraft draft(@Nullable TargetBody body) {
        return body == null
                ? new TargetDraft(null, null, null, null)
                : new TargetDraft(body.sensorId, body.fleet, body.selector, body.segment);
    }

    static TargetBody of(Target target) {
        return new TargetBody(
                target.hasSensorId() ? target.getSensorId() : null,
                target.hasFleet() ? target.getFleet() : null,
                target.hasSelector() ? target.getSelector() : null,
                target.hasSegment() ? target.getSegment() : null);
    }
}
