package io.sallyport.fanout.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.protobuf.StatusProto;
import io.sallyport.fanout.core.ErrorCategory;
import io.sallyport.fanout.core.Refusal;

/** A refusal as a rich status: {@code google.rpc.ErrorInfo} has the stable code as its reason. */
public final class GrpcErrors {
    /** {@code ErrorInfo.domain}. */
    public static final String DOMAIN = "sallyport";

    private GrpcErrors() {}

    public static StatusException of(Refusal refusal) {
        var info = ErrorInfo.newBuilder()
                .setReason(refusal.code().name())
                .setDomain(DOMAIN)
                .putMetadata("number", Integer.toString(refusal.code().number()));
        if (refusal.position() > 0) {
            info.putMetadata("position", Integer.toString(refusal.position()));
        }
        var category = refusal.code().category();
        var status = com.google.rpc.Status.newBuilder()
                .setCode(code(category).value())
                .setMessage(refusal.detail())
                .addDetails(Any.pack(info.build()));
        if (category.isWorthARetry()) {
            status.addDetails(Any.pack(RetryInfo.newBuilder()
                    .setRetryDelay(Duration.newBuilder().setSeconds(ErrorCategory.RETRY_AFTER_S))
                    .build()));
        }
        return StatusProto.toStatusException(status.build());
    }

    static Status.Code code(ErrorCategory category) {
        return switch (category) {
            case INVALID, TOO_LARGE -> Status.Code.INVALID_ARGUMENT;
            case UNAUTHENTICATED -> Status.Code.UNAUTHENTICATED;
            case FORBIDDEN -> Status.Code.PERMISSION_DENIED;
            case NOT_FOUND -> Status.Code.NOT_FOUND;
            case CONFLICT -> Status.Code.ALREADY_EXISTS;
            case REFUSED -> Status.Code.FAILED_PRECONDITION;
            case OVERLOADED -> Status.Code.RESOURCE_EXHAUSTED;
            case TRANSIENT -> Status.Code.UNAVAILABLE;
            case INTERNAL -> Status.Code.INTERNAL;
        };
    }
}
