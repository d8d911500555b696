package io.sallyport.fanout.grpc;

import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.publishing.Refusals;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.grpc.server.exception.GrpcExceptionHandler;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;

/** What fails outside the answer of a desk: mostly authentication, else a fault of this service. */
public final class GrpcFailureMapper implements GrpcExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcFailureMapper.class);

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
        if (failure instanceof StatusException || failure instanceof StatusRuntimeException) {
            // The framework's own word, for example that there is no such method.
            return null;
        }
        LOG.error("a call failed", failure);
        Refusal refusal = ErrorCode.INTERNAL.because("see the log of this node");
        refusals.count("grpc", refusal);
        return GrpcErrors.of(refusal);
    }
}
