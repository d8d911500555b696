package io.sallyport.fanout.rest;

import static io.sallyport.fanout.publishing.RefusedException.given;

import io.sallyport.fanout.auth.PublisherTokens;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.publishing.MessageDesk;
import io.sallyport.fanout.publishing.RefusedException;
import io.sallyport.fanout.publishing.StatusDesk;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.Authentication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

// A caller who cannot read the answer must not have had the effect.
@RestController
@RequestMapping(produces = MediaType.APPLICATION_JSON_VALUE)
class MessagesController {
    private final MessageDesk messages;
    private final StatusDesk status;

    MessagesController(MessageDesk messages, StatusDesk status) {
        this.messages = messages;
        this.status = status;
    }

    @PostMapping("/v1/messages")
    @ResponseStatus(HttpStatus.ACCEPTED)
    @Operation(operationId = "publish", summary = "Publish a message")
    @ApiResponse(responseCode = "202", description = "Accepted", useReturnTypeSchema = true)
    @ApiResponse(responseCode = "200", description = "Accepted before, nothing changed", useReturnTypeSchema = true)
    @Refuses({
        ErrorCode.MALFORMED_REQUEST,
        ErrorCode.UNKNOWN_KEY,
        ErrorCode.BAD_MSG_ID,
        ErrorCode.BAD_TTL,
        ErrorCode.BAD_SENSOR_ID,
        ErrorCode.BAD_SEGMENT,
        ErrorCode.BAD_FIELD,
        ErrorCode.BAD_PREVIEW_TOKEN,
        ErrorCode.EMPTY_SELECTOR,
        ErrorCode.SELECTOR_SYNTAX,
        ErrorCode.SELECTOR_TYPE,
        ErrorCode.UNKNOWN_TYPE,
        ErrorCode.MISSING_PAYLOAD,
        ErrorCode.PAYLOAD_TOO_LARGE,
        ErrorCode.REQUEST_TOO_LARGE,
        ErrorCode.MSG_ID_CONFLICT,
        ErrorCode.UNKNOWN_SENSOR,
        ErrorCode.UNKNOWN_SEGMENT,
        ErrorCode.THRESHOLD,
        ErrorCode.PREVIEW_STALE,
        ErrorCode.OVERLOADED,
        ErrorCode.LOG_UNAVAILABLE,
        ErrorCode.DECISION_TIMEOUT
    })
    CompletableFuture<ResponseEntity<Replies.Published>> publish(
            @Parameter(hidden = true) Authentication caller,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId,
            @RequestBody PublishBody body) {
        String customer = customer(customerId, body.customerId());
        return messages.publish(PublisherTokens.publisher(caller), body.draft(customer))
                .thenApply(answer -> {
                    var reply = Replies.Published.of(given(answer));
                    return ResponseEntity.status(reply.outcome().equals("SAME") ? HttpStatus.OK : HttpStatus.ACCEPTED)
                            .body(reply);
                });
    }

    @PostMapping("/v1/messages:preview")
    @Operation(operationId = "preview", summary = "What a target resolves to now, and a token to publish to that set")
    @Refuses({
        ErrorCode.MALFORMED_REQUEST,
        ErrorCode.UNKNOWN_KEY,
        ErrorCode.BAD_SENSOR_ID,
        ErrorCode.BAD_SEGMENT,
        ErrorCode.EMPTY_SELECTOR,
        ErrorCode.SELECTOR_SYNTAX,
        ErrorCode.SELECTOR_TYPE,
        ErrorCode.REQUEST_TOO_LARGE,
        ErrorCode.UNKNOWN_SENSOR,
        ErrorCode.UNKNOWN_SEGMENT,
        ErrorCode.OVERLOADED
    })
    Replies.Previewed preview(
            @Parameter(hidden = true) Authentication caller,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId,
            @RequestBody PreviewBody body) {
        return Replies.Previewed.of(given(messages.preview(
                PublisherTokens.publisher(caller),
                customer(customerId, body.customerId()),
                TargetBody.draft(body.target()))));
    }

    @GetMapping("/v1/messages/{msg_id}")
    @Operation(operationId = "getMessage", summary = "A message and how many of its targets are in which state")
    @Refuses({ErrorCode.BAD_MSG_ID, ErrorCode.UNKNOWN_MESSAGE, ErrorCode.OVERLOADED})
    Replies.Message message(
            @Parameter(hidden = true) Authentication caller,
            @PathVariable("msg_id") String msgId,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId) {
        return Replies.Message.of(given(status.message(PublisherTokens.publisher(caller), customerId, msgId)));
    }

    @GetMapping("/v1/messages/{msg_id}/targets")
    @Operation(operationId = "listTargets", summary = "The state of each target, in the order of the plan")
    @Refuses({
        ErrorCode.MALFORMED_REQUEST,
        ErrorCode.BAD_MSG_ID,
        ErrorCode.BAD_PAGE,
        ErrorCode.UNKNOWN_MESSAGE,
        ErrorCode.OVERLOADED,
        ErrorCode.STATUS_LAGGING
    })
    Replies.Targets targets(
            @Parameter(hidden = true) Authentication caller,
            @PathVariable("msg_id") String msgId,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId,
            @RequestParam(name = "page_size", defaultValue = "0") int pageSize,
            @RequestParam(name = "page_token", defaultValue = "") String pageToken) {
        return Replies.Targets.of(
                given(status.targets(PublisherTokens.publisher(caller), customerId, msgId, pageSize, pageToken)));
    }

    @PostMapping("/v1/messages/{msg_id}:cancel")
    @Operation(operationId = "cancelMessage", summary = "Withdraw what was not delivered yet")
    @Refuses({
        ErrorCode.BAD_MSG_ID,
        ErrorCode.UNKNOWN_MESSAGE,
        ErrorCode.OVERLOADED,
        ErrorCode.LOG_UNAVAILABLE,
        ErrorCode.DECISION_TIMEOUT
    })
    CompletableFuture<Replies.Message> cancel(
            @Parameter(hidden = true) Authentication caller,
            @PathVariable("msg_id") String msgId,
            @RequestParam(name = "customer_id", defaultValue = "") String customerId) {
        return messages.cancel(PublisherTokens.publisher(caller), customerId, msgId)
                .thenApply(answer -> Replies.Message.of(status.view(given(answer))));
    }

    private static String customer(String parameter, @Nullable String field) {
        if (field == null || field.isEmpty() || field.equals(parameter)) {
            return parameter;
        }
        if (!parameter.isEmpty()) {
            throw new RefusedException(
                    ErrorCode.MALFORMED_REQUEST.because("parameter and field name different customers"));
        }
        return field;
    }
}
