package io.sallyport.fanout.grpc;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
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
        return StatusProto.toStatusException(com.google.rpc.Status.newBuilder()
                .setCode(code(refusal.code().category()).value())
                .setMessage(refusal.detail())
                .addDetails(Any.pack(info.build()))
                .build());
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
