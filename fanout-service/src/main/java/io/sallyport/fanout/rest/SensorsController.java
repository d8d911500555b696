package io.sallyport.fanout.rest;

import static io.sallyport.fanout.publishing.RefusedException.given;

import io.sallyport.fanout.auth.PublisherTokens;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.publishing.SegmentDesk;
import io.sallyport.fanout.publishing.SensorDesk;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.security.core.Authentication;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

// A caller who cannot read the answer must not have had the effect.
@RestController
@RequestMapping(produces = MediaType.APPLICATION_JSON_VALUE)
class SensorsController {
    private final SensorDesk sensors;
    private final SegmentDesk segments;

    SensorsController(SensorDesk sensors, SegmentDesk segments) {
        this.sensors = sensors;
        this.segments = segments;
    }

    @GetMapping("/v1/sensors")
    @Operation(operationId = "listSensors", summary = "What is known of the sensors that a selector matches, or of all")
    @Refuses({
        ErrorCode.MALFORMED_REQUEST,
        ErrorCode.UNKNOWN_KEY,
        ErrorCode.BAD_PAGE,
        ErrorCode.EMPTY_SELECTOR,
        ErrorCode.SELECTOR_SYNTAX,
        ErrorCode.SELECTOR_TYPE,
        ErrorCode.OVERLOADED
    })
    Replies.Sensors list(
            @Parameter(hidden = true) Authentication caller,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId,
            @RequestParam(name = "selector", required = false) @Nullable String selector,
            @RequestParam(name = "page_size", defaultValue = "0") int pageSize,
            @RequestParam(name = "page_token", defaultValue = "") String pageToken) {
        return Replies.Sensors.of(given(sensors.list(
                PublisherTokens.publisher(caller), customerId, Optional.ofNullable(selector), pageSize, pageToken)));
    }

    @PutMapping("/v1/sensors/{sensor_id}")
    @Operation(operationId = "registerSensor", summary = "Make a sensor known before its first start")
    @Refuses({ErrorCode.BAD_SENSOR_ID, ErrorCode.LOG_UNAVAILABLE})
    CompletableFuture<Replies.Registered> register(
            @Parameter(hidden = true) Authentication caller,
            @PathVariable("sensor_id") String sensorId,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId) {
        return sensors.register(PublisherTokens.publisher(caller), customerId, sensorId)
                .thenApply(answer -> {
                    var sensor = given(answer);
                    return new Replies.Registered(sensor.customerId(), sensor.sensorId());
                });
    }

    @PutMapping("/v1/segments/{name}")
    @Operation(operationId = "putSegment", summary = "Store a membership list as a new version of a segment")
    @Refuses({
        ErrorCode.MALFORMED_REQUEST,
        ErrorCode.UNKNOWN_KEY,
        ErrorCode.BAD_SEGMENT,
        ErrorCode.BAD_SENSOR_ID,
        ErrorCode.REQUEST_TOO_LARGE,
        ErrorCode.UNKNOWN_SENSOR,
        ErrorCode.TOO_MANY_SEGMENTS,
        ErrorCode.OVERLOADED,
        ErrorCode.LOG_UNAVAILABLE
    })
    Replies.Segment put(
            @Parameter(hidden = true) Authentication caller,
            @PathVariable("name") String name,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId,
            @RequestBody SegmentBody body) {
        return Replies.Segment.of(
                given(segments.put(PublisherTokens.publisher(caller), customerId, name, body.members())));
    }

    @GetMapping("/v1/segments/{name}")
    @Operation(operationId = "getSegment", summary = "The newest version of a segment, its members in pages")
    @Refuses({
        ErrorCode.MALFORMED_REQUEST,
        ErrorCode.BAD_SEGMENT,
        ErrorCode.BAD_PAGE,
        ErrorCode.SEGMENT_NOT_FOUND,
        ErrorCode.OVERLOADED
    })
    Replies.Segment get(
            @Parameter(hidden = true) Authentication caller,
            @PathVariable("name") String name,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId,
            @RequestParam(name = "page_size", defaultValue = "0") int pageSize,
            @RequestParam(name = "page_token", defaultValue = "") String pageToken) {
        return Replies.Segment.of(
                given(segments.get(PublisherTokens.publisher(caller), customerId, name, pageSize, pageToken)));
    }

    @DeleteMapping("/v1/segments/{name}")
    @Operation(
            operationId = "deleteSegment",
            summary = "Delete a segment; messages keep the targets they were planned with")
    @Refuses({ErrorCode.BAD_SEGMENT, ErrorCode.SEGMENT_NOT_FOUND, ErrorCode.OVERLOADED, ErrorCode.LOG_UNAVAILABLE})
    Replies.Segment delete(
            @Parameter(hidden = true) Authentication caller,
            @PathVariable("name") String name,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId) {
        return Replies.Segment.of(given(segments.delete(PublisherTokens.publisher(caller), customerId, name)));
    }
}
