package io.sallyport.fanout.grpc;

import io.grpc.StatusException;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.publishing.Refusals;
import org.jspecify.annotations.Nullable;
import org.springframework.grpc.server.exception.GrpcExceptionHandler;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;

/** What fails before a call reaches the service: mostly its authentication. */
public final class GrpcFailureMapper implements GrpcExceptionHandler {
    private final Refusals refusals;

    public GrpcFailureMapper(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public @Nullable StatusException handleException(Throwable failure) {
        if (failure instanceof AuthenticationException || failure instanceof AccessDeniedException) {
            Refusal refusal = ErrorCode.UNAUTHENTICATED.because("a valid bearer token is needed");
            refusals.count("grpc", refusal);
            return GrpcErrors.of(refusal);
        }
        return null;
    }
}
