package io.sallyport.fanout.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.publishing.RefusedException;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

@Schema(name = "SegmentRequest")
record SegmentBody(
        @JsonProperty("sensor_ids") @Schema(requiredMode = Schema.RequiredMode.REQUIRED) @Nullable
        List<String> sensorIds) {

    /** A list that is missing is no empty list: nobody may lose a segment by leaving out a key. */
    List<String> members() {
        if (sensorIds == null || sensorIds.stream().anyMatch(Objects::isNull)) {
            throw new RefusedException(ErrorCode.MALFORMED_REQUEST.because("sensor_ids must be a list of sensor ids"));
        }
        return sensorIds;
    }
}
