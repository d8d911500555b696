package io.sallyport.fanout.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

@Schema(name = "SegmentRequest")
record SegmentBody(
        @JsonProperty("sensor_ids") @Schema(requiredMode = Schema.RequiredMode.REQUIRED) @Nullable
        List<String> sensorIds) {}
